import type { Hash } from 'viem'
import type { PoolEntry, PoolPort } from '../types/ports/pool.ts'

/** A bundle in the making: its operations are bound to `bundleId` in the pool. */
export type Draft = { bundleId: string; pool: PoolPort; entries: readonly PoolEntry[] }

/** Whether an operation is in the pool and bound to this bundle, not to another one since. */
export function isBound(pool: PoolPort, hash: Hash, bundleId: string): boolean {
  const state = pool.get(hash)?.state
  return state !== undefined && 'bundleId' in state && state.bundleId === bundleId
}

/** Those that are still the bundle's: while one waits, a block, a withdrawal or another bundle may take some away. */
export function stillBound({ bundleId, pool, entries }: Draft): readonly PoolEntry[] {
  return entries.filter(({ hash }) => isBound(pool, hash, bundleId))
}
