import type { BrokenRule } from '../../types/explanation.ts'
import type { UserOperation } from '../../types/userop.ts'
import { checkRules } from '../rules/check-rules.ts'
import type { OperationFacts } from '../rules/facts.ts'
import type { Finding, RuleOptions } from '../rules/finding.ts'

/** Nobody has staked anything. */
const unstaked: RuleOptions['stakes'] = { account: undefined, factory: undefined, paymaster: undefined }

/** Hostile code breaks a rule thousands of times; who reads them looks for the first. */
const mostTold = 200

/** The rules of ERC-7562 that the operation breaks, and those that it would break without the stakes it has. */
export function brokenRules(
  op: UserOperation,
  facts: OperationFacts,
  options: RuleOptions,
): readonly BrokenRule[] {
  const broken = distinct(checkRules(facts, op, options))
  const withoutStakes = distinct(checkRules(facts, op, { ...options, stakes: unstaked }))
  const lifted = [...withoutStakes].filter(
    ([text, { liftedBy }]) => liftedBy !== undefined && !broken.has(text),
  )
  return [
    ...[...broken.values()].map((finding) => told(finding, false)),
    ...lifted.map(([, finding]) => told(finding, true)),
  ].slice(0, mostTold)
}

/** By what would be told of them. */
function distinct(findings: readonly Finding[]): Map<string, Finding> {
  return new Map(findings.map((finding) => [JSON.stringify(told(finding, false)), finding]))
}

function told(finding: Finding, isLifted: boolean): BrokenRule {
  const { rule, entity, address, did, opcode, slot, contract, hint, liftedBy } = finding
  const message = `${entity} ${did}`
  return { rule, entity, address, message, opcode, slot, contract, hint, liftedBy, isLifted }
}
