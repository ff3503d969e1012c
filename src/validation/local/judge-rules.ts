import type { StakeInfo } from '../../types/entity.ts'
import { entryPoints } from '../../types/entrypoint.ts'
import type { UserOperation } from '../../types/userop.ts'
import { factoryOf, paymasterOf } from '../../types/userop.ts'
import { checkRules } from '../rules/check-rules.ts'
import type { OperationFacts, Parties, PhaseEntity } from '../rules/facts.ts'
import { rejectionOfFinding, worstOf } from '../rules/rejection.ts'
import type { LocalChain } from './local-chain.ts'

/** @throws TandemError of the error table for the worst rule of ERC-7562 that the operation breaks */
export function requireRules(
  op: UserOperation,
  facts: OperationFacts,
  stakes: Readonly<Record<PhaseEntity, StakeInfo | undefined>>,
  { required, rules }: Pick<LocalChain, 'required' | 'rules'>,
): void {
  const { precompiles } = rules
  const worst = worstOf(checkRules(facts, op, { stakes, required, precompiles }))
  if (worst !== undefined) throw rejectionOfFinding(worst, required)
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
