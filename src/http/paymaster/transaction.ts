import { Type } from '@sinclair/typebox'
import type { Hash } from 'viem'
import type { PaymasterPort } from '../../types/ports/paymaster.ts'

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
  const mined = await paymaster.mined(hash).then(
    () => true,
    () => false,
  )
  return { transactionHash: hash, mined }
}
