import { checkAccess } from './access-rules.ts'
import { checkCreations } from './creation-rules.ts'
import { checkDelegations } from './delegation-rules.ts'
import { checkEntryPoint } from './entry-point-rules.ts'
import type { OperationFacts, PhaseFacts } from './facts.ts'
import type { Finding, RuleOptions, Scene } from './finding.ts'
import { checkLimits, type Limits } from './limit-rules.ts'
import { checkOpcodes } from './opcode-rules.ts'
import { checkStorage } from './storage-rules.ts'

type PhaseCheck = (phase: PhaseFacts, scene: Scene) => readonly Finding[]

const phaseChecks: readonly PhaseCheck[] = [
  checkOpcodes,
  checkCreations,
  checkAccess,
  checkEntryPoint,
  checkStorage,
]

/**
 * All rules of ERC-7562 that one operation can break by itself. In order: by phase, then by family of rules.
 * @param limits `undefined` in a bundle: the slack that LIM-030 asks for is there to be used
 */
export function checkRules(
  facts: OperationFacts,
  limits: Limits | undefined,
  options: RuleOptions,
): readonly Finding[] {
  return [
    ...facts.phases.flatMap((phase) => phaseChecks.flatMap((check) => check(phase, { facts, options }))),
    ...checkDelegations(facts),
    ...checkLimits(facts, limits, options),
  ]
}
