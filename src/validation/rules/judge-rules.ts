import { type TandemError, toWire } from '../../base/errors.ts'
import type { ChainRules } from '../../evm/environment.ts'
import type { StakeInfo, StakeRequirement } from '../../types/entity.ts'
import { entryPoints } from '../../types/entrypoint.ts'
import type { UserOperation } from '../../types/userop.ts'
import { factoryOf, paymasterOf } from '../../types/userop.ts'
import type { Drift, ValidationScope } from '../../types/verdict.ts'
import { checkRules } from './check-rules.ts'
import type { OperationFacts, Parties, PhaseEntity } from './facts.ts'
import { checkCodes, checkContextSize, checkGasOfStaked } from './later-rules.ts'
import { rejectionOfFinding, worstOf } from './rejection.ts'

/** What validation of an operation showed, and who is staked. */
export type Observed = {
  facts: OperationFacts
  stakes: Readonly<Record<PhaseEntity, StakeInfo | undefined>>
}

/** What a chain, and its operator, ask of operations. */
export type Asked = { readonly required: StakeRequirement; readonly rules: Pick<ChainRules, 'precompiles'> }

/** @returns the error of the table for the worst rule of ERC-7562 that the operation breaks by itself */
export function ruleBrokenBy(
  op: UserOperation,
  { facts, stakes }: Observed,
  { required, rules }: Asked,
): TandemError | undefined {
  const { precompiles } = rules
  const worst = worstOf(checkRules(facts, op, { stakes, required, precompiles }))
  return worst === undefined ? undefined : rejectionOfFinding(worst, required)
}

/** The same in a bundle, where besides the code that was used before must be what it was. */
export function ruleBrokenInBundle(
  scope: ValidationScope | undefined,
  { facts, stakes }: Observed,
  { required, rules }: Asked,
): TandemError | undefined {
  const { precompiles } = rules
  const worst = worstOf([
    ...(scope === undefined ? [] : checkCodes(scope, facts)),
    ...checkRules(facts, undefined, { stakes, required, precompiles }),
  ])
  return worst === undefined ? undefined : rejectionOfFinding(worst, required)
}

/** EREP-055 and EREP-070 for the operation at `index`. */
export function driftsOf(
  index: number,
  scope: ValidationScope | undefined,
  { facts, stakes }: Observed,
  { required, rules }: Asked,
): readonly Drift[] {
  if (scope === undefined) return []
  const { precompiles } = rules
  const drift = (rule: Drift['rule'], findings: ReturnType<typeof checkContextSize>): Drift[] =>
    findings.map((finding) => ({ index, rule, error: toWire(rejectionOfFinding(finding, required)) }))
  return [
    ...drift('EREP-055', checkContextSize(scope, facts)),
    ...drift('EREP-070', checkGasOfStaked(scope, facts, { stakes, required, precompiles })),
  ]
}

export function partiesOf(op: UserOperation): Parties {
  const [factory, paymaster] = [factoryOf(op), paymasterOf(op)]
  return {
    entryPoint: BigInt(entryPoints[op.version].address),
    account: BigInt(op.sender),
    factory: factory === undefined ? undefined : BigInt(factory),
    paymaster: paymaster === undefined ? undefined : BigInt(paymaster),
  }
}
