import type { BrokenRule } from '../../types/explanation.ts'
import type { UserOperation } from '../../types/userop.ts'
import { checkRules } from '../rules/check-rules.ts'
import type { OperationFacts } from '../rules/facts.ts'
import type { Finding, RuleOptions } from '../rules/finding.ts'

/** Nobody has staked anything. */
const unstaked: RuleOptions['stakes'] = { account: undefined, factory: undefined, paymaster: undefined }

/** Every rule of ERC-7562 that the operation breaks, and those that it would break without the stakes it has. */
export function brokenRules(
  op: UserOperation,
  facts: OperationFacts,
  options: RuleOptions,
): readonly BrokenRule[] {
  const broken = checkRules(facts, op, options).map((finding) => told(finding, false))
  const isBroken = new Set(broken.map(({ isLifted: _, ...rule }) => JSON.stringify(rule)))
  const withoutStakes = checkRules(facts, op, { ...options, stakes: unstaked }).map((finding) =>
    told(finding, true),
  )
  const lifted = withoutStakes.filter(
    ({ isLifted: _, ...rule }) => rule.liftedBy !== undefined && !isBroken.has(JSON.stringify(rule)),
  )
  return [...broken, ...lifted]
}

function told(finding: Finding, isLifted: boolean): BrokenRule {
  const { rule, entity, address, did, opcode, slot, contract, hint, liftedBy } = finding
  const message = `${entity} ${did}`
  return { rule, entity, address, message, opcode, slot, contract, hint, liftedBy, isLifted }
}
