import type { StateSource } from '../../../evm/state-source.ts'
import { emptyCodeHash } from '../../../evm/word.ts'
import { factoryOf, paymasterOf, type UserOperation } from '../../../types/userop.ts'
import { rejectionOf } from '../../rejection.ts'

/**
 * What an EntryPoint checks before it simulates, and not in handleOps, which reverts without a word on what has no code.
 * @throws TandemError for a sender that nobody deploys, or a paymaster that is none
 */
export function requireDeployed(op: UserOperation, source: StateSource): void {
  const hasCode = (address: string) =>
    (source.account(BigInt(address))?.codeHash ?? emptyCodeHash) !== emptyCodeHash
  const refused = (reason: string) => rejectionOf(op, { reason, inner: undefined, raw: '0x' })
  const paymaster = paymasterOf(op)
  if (factoryOf(op) === undefined && !hasCode(op.sender)) throw refused('AA20 account not deployed')
  if (paymaster !== undefined && !hasCode(paymaster)) throw refused('AA30 paymaster not deployed')
}
