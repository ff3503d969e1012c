import { Type } from '@sinclair/typebox'
import type { Hash } from 'viem'
import { Unavailable } from '../../base/errors.ts'
import { withDeadline } from '../../base/queue.ts'
import type { PaymasterPort } from '../../types/ports/paymaster.ts'

/** ms; shorter than an idle connection lives */
const mostWait = 60_000

/** What is told of a transaction besides. */
export const transactionFields = {
  transactionHash: Type.String(),
  /** With `wait` only. */
  mined: Type.Optional(Type.Boolean()),
}

/** Awaits a transaction where that was asked for. It is sent either way: its hash is never kept back. */
export async function awaited(
  hash: Hash,
  { paymaster, wait }: { paymaster: PaymasterPort; wait: boolean },
): Promise<{ transactionHash: Hash; mined?: boolean }> {
  if (!wait) return { transactionHash: hash }
  const block = withDeadline(
    paymaster.mined(hash),
    mostWait,
    () => new Unavailable('a transaction not mined'),
  )
  const mined = await block.then(
    () => true,
    () => false,
  )
  return { transactionHash: hash, mined }
}
