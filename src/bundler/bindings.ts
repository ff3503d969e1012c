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

/** Those who wait to hear how one bundle ends, such as `debug_bundler_sendBundleNow`. */
export type BundleWaiters = {
  /** The transaction that was mined for it; `undefined` when it was abandoned. */
  settled(bundleId: string): Promise<Hash | undefined>
  tell(event: BundleEvent): void
}

export function createBundleWaiters(): BundleWaiters {
  const waiting = new Map<string, PromiseWithResolvers<Hash | undefined>>()
  return {
    settled(bundleId) {
      const waiter = waiting.get(bundleId) ?? Promise.withResolvers<Hash | undefined>()
      waiting.set(bundleId, waiter)
      return waiter.promise
    },
    tell(event) {
      if (event.kind !== 'mined' && event.kind !== 'abandoned') return
      waiting.get(event.bundleId)?.resolve(event.kind === 'mined' ? event.transactionHash : undefined)
      waiting.delete(event.bundleId)
    },
  }
}
