import type { Address, Hash } from 'viem'
import type { BundlerPort } from '../types/ports/bundler.ts'
import type { StateChange } from '../types/status.ts'

export type StateListener = (change: StateChange) => void

/**
 * A chain's state changes, handed to those who asked for them. One look-up a change, however many listen.
 * Each method gives the function that ends the listening.
 */
export type StateFeed = {
  onHash(hash: Hash, listener: StateListener): () => void
  onSender(sender: Address, listener: StateListener): () => void
}

/** Listens to `bundler` for as long as the process lives. */
export function createStateFeed(bundler: Pick<BundlerPort, 'subscribe'>): StateFeed {
  const byHash = new Map<string, Set<StateListener>>()
  const bySender = new Map<string, Set<StateListener>>()
  bundler.subscribe((change) => {
    for (const listener of byHash.get(change.hash.toLowerCase()) ?? []) listener(change)
    for (const listener of bySender.get(change.sender.toLowerCase()) ?? []) listener(change)
  })
  return {
    onHash: (hash, listener) => listen(byHash, hash.toLowerCase(), listener),
    onSender: (sender, listener) => listen(bySender, sender.toLowerCase(), listener),
  }
}

function listen(
  listeners: Map<string, Set<StateListener>>,
  key: string,
  listener: StateListener,
): () => void {
  const same = listeners.get(key) ?? new Set()
  listeners.set(key, same.add(listener))
  return () => {
    same.delete(listener)
    if (same.size === 0 && listeners.get(key) === same) listeners.delete(key)
  }
}
