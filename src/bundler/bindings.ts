import type { Hash } from 'viem'
import type { BundleEvent } from '../types/ports/submitter.ts'

/** The transaction that an operation is bound to, until its nonce is settled for good. */
export type Binding = { bundleId: string; transactionHash: Hash }

/**
 * Which operations are bound to which open bundle. An operation that a reorg takes out of a block belongs to its
 * bundle again, not to a new one: that is what keeps it from being paid for twice.
 */
export type Bindings = {
  get(operation: Hash): Binding | undefined
  bind(operations: readonly Hash[], binding: Binding): void
  free(operations: readonly Hash[], bundleId: string): void
}

export function createBindings(): Bindings {
  const byOperation = new Map<Hash, Binding>()
  return {
    get: (operation) => byOperation.get(operation),
    bind(operations, binding) {
      for (const operation of operations) byOperation.set(operation, binding)
    },
    free(operations, bundleId) {
      for (const operation of operations) {
        if (byOperation.get(operation)?.bundleId === bundleId) byOperation.delete(operation)
      }
    },
  }
}

/** How the newest bundles ended, for those who wait to hear it, such as `debug_bundler_sendBundleNow`. */
export type Outcomes = {
  /** The transaction that was mined for a bundle; `undefined` when it was abandoned. */
  of(bundleId: string): Promise<Hash | undefined>
  tell(event: BundleEvent): void
}

/** Outcomes kept: an event may come before somebody asks, but not by this many bundles. */
const outcomesKept = 1000

export function createOutcomes(): Outcomes {
  const known = new Map<string, PromiseWithResolvers<Hash | undefined>>()
  return {
    of: (bundleId) => entry(bundleId).promise,
    tell(event) {
      if (event.kind === 'mined') entry(event.bundleId).resolve(event.transactionHash)
      if (event.kind === 'abandoned') entry(event.bundleId).resolve(undefined)
    },
  }

  function entry(bundleId: string): PromiseWithResolvers<Hash | undefined> {
    const existing = known.get(bundleId)
    if (existing !== undefined) return existing
    const made = Promise.withResolvers<Hash | undefined>()
    known.set(bundleId, made)
    const [oldest] = known.keys()
    if (known.size > outcomesKept && oldest !== undefined) known.delete(oldest)
    return made
  }
}
