import type { Hash } from 'viem'
import type { Context } from '../base/context.ts'
import { describe } from '../base/errors.ts'
import { entryPoints } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { PoolEffect } from '../types/ports/pool.ts'
import type { StorePort } from '../types/ports/store.ts'
import type { StateChange } from '../types/status.ts'

/** ms until changes that the store could not take are offered again: short beside a block, long beside a commit. */
const retryAfter = 500

/**
 * Every change of an operation's state passes here: to the store, to subscribers, to the metrics.
 * The store may lag behind (never for an acknowledgement): what it could not take is kept, newest state per
 * operation, and offered again. A crash in between costs nothing, since states are derived anew from the journal
 * and the index on start.
 */
export type States = {
  apply(version: EntryPointVersion, effects: readonly PoolEffect[]): void
  /** What the chain did to operations that may be strangers': as `apply`, but not counted. */
  overhear(version: EntryPointVersion, effects: readonly PoolEffect[]): void
  subscribe(listener: (change: StateChange) => void): () => void
  /** What the store may not have yet: whoever was told of it must find it. */
  newest(hash: Hash): StateChange | undefined
  /** Resolves when the store has every change made so far. @throws Unavailable when it could not take them */
  flush(): Promise<void>
}

export function createStates(
  options: { chainId: number; now: () => number },
  { store, log, metrics }: Context & { store: StorePort },
): States {
  const listeners = new Set<(change: StateChange) => void>()
  const unsaved = new Map<Hash, StateChange>()
  let beingSaved: ReadonlyMap<Hash, StateChange> = new Map()
  let saving: Promise<void> | undefined
  let retry: Timer | undefined
  const changed = metrics.counter(
    'operation_states_total',
    'State changes of UserOperations that were sent here.',
    ['chain', 'state'],
  )

  async function save(): Promise<void> {
    beingSaved = new Map(unsaved)
    unsaved.clear()
    try {
      await store.changeStates([...beingSaved.values()])
    } catch (error) {
      for (const [hash, change] of beingSaved) if (!unsaved.has(hash)) unsaved.set(hash, change)
      throw error
    } finally {
      beingSaved = new Map()
    }
  }

  /** One save at a time; a failed one leaves its changes for the next. */
  function saveOnce(): Promise<void> {
    saving ??= save().finally(() => {
      saving = undefined
    })
    return saving
  }

  function saveSoon(): void {
    if (saving !== undefined || retry !== undefined) return
    saveOnce().then(
      () => unsaved.size > 0 && saveSoon(),
      (error) => {
        log.error('states not stored yet', { count: unsaved.size, error: describe(error) })
        retryLater()
      },
    )
  }

  function retryLater(): void {
    clearTimeout(retry)
    retry = setTimeout(() => {
      retry = undefined
      saveSoon()
    }, retryAfter)
  }

  function overhear(version: EntryPointVersion, effects: readonly PoolEffect[]): void {
    if (effects.length === 0) return
    const at = options.now()
    for (const { hash, sender, state } of effects) {
      const change = {
        chainId: options.chainId,
        entryPoint: entryPoints[version].address,
        hash,
        sender,
        state,
        at,
      }
      unsaved.set(hash, change)
      log.debug('operation changed', { operation: hash, state: state.kind })
      for (const listener of listeners) listener(change)
    }
    saveSoon()
  }

  return {
    apply(version, effects) {
      for (const { state } of effects) changed.inc({ chain: options.chainId, state: state.kind })
      overhear(version, effects)
    },
    overhear,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    newest: (hash) => unsaved.get(hash) ?? beingSaved.get(hash),
    async flush() {
      clearTimeout(retry)
      retry = undefined
      try {
        while (saving !== undefined || unsaved.size > 0) await saveOnce()
      } catch (error) {
        if (retry === undefined) retryLater()
        throw error
      }
    },
  }
}
