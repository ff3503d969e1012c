import type { BlockRef } from '../types/block.ts'
import type { PoolCandidate } from '../types/ports/pool.ts'
import type { OperationRecord } from '../types/ports/store.ts'
import { nonceSequence, paymasterOf } from '../types/userop.ts'
import { requiredPrefund } from '../types/userop-cost.ts'
import type { ValidationFacts } from '../types/verdict.ts'

const unstaked = { stake: 0n, unstakeDelaySec: 0 }

/**
 * An acknowledged operation that comes back from the store, after a restart or a reorg. Until it is validated again
 * it counts as unstaked and without a time range, and its paymaster as able to pay for it.
 */
export function restoredCandidate(
  record: OperationRecord,
  block: BlockRef,
  chainSequence?: bigint,
): PoolCandidate {
  const { op, hash, receivedAt } = record
  return {
    op,
    hash,
    receivedAt,
    facts: restoredFacts(record, block),
    chainSequence: chainSequence ?? nonceSequence(op.nonce),
  }
}

function restoredFacts({ op, validationLevel }: OperationRecord, block: BlockRef): ValidationFacts {
  const prefund = requiredPrefund(op)
  const paymaster = paymasterOf(op)
  return {
    level: validationLevel ?? 'basic',
    block,
    prefund,
    preOpGas: 0n,
    validAfter: undefined,
    validUntil: undefined,
    sender: unstaked,
    factory: op.factory === undefined ? undefined : unstaked,
    paymaster: paymaster === undefined ? undefined : { ...unstaked, address: paymaster, deposit: prefund },
  }
}
