import type { Context } from '../base/context.ts'
import { describe } from '../base/errors.ts'
import type { BlockRef } from '../types/block.ts'
import { versionAt } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { PoolPort } from '../types/ports/pool.ts'
import type { IndexedEvent, OperationRecord, StorePort } from '../types/ports/store.ts'
import type { OpenBundle } from '../types/ports/submitter.ts'
import { nonceSequence } from '../types/userop.ts'
import type { Bindings } from './bindings.ts'
import type { Judge, SequenceReader } from './judge.ts'
import { restoredCandidate } from './restored.ts'
import type { States } from './states.ts'

type Modules = Context & {
  pools: ReadonlyMap<EntryPointVersion, PoolPort>
  store: StorePort
  states: States
  bindings: Bindings
  sequenceOnChain: SequenceReader
  now: () => number
}

/** An open operation, its inclusion if the index saw one, and the next sequence of its key on chain. */
type Known = { record: OperationRecord; event: IndexedEvent | undefined; sequence: bigint }

/** Open operations that are looked up at once: few beside what store and node take, many beside a round trip. */
const readsAtOnce = 500

/**
 * Puts every acknowledged operation that has not ended back where it was: bound to its transaction if the journal
 * holds one, else pending. What the index already saw included says so.
 */
export async function recoverPool(
  options: { chainId: number; block: BlockRef; journal: readonly OpenBundle[] },
  modules: Modules,
): Promise<void> {
  const { pools, store, states, bindings, log, now } = modules
  for (const { bundleId, operations, transactions } of options.journal) {
    const newest = transactions.findLast((transaction) => transaction.kind === 'bundle')
    if (newest !== undefined) bindings.bind(operations, { bundleId, transactionHash: newest.hash })
  }
  const records = await store.openOperations({ chainId: options.chainId })
  const known: Known[] = []
  for (let first = 0; first < records.length; first += readsAtOnce) {
    known.push(...(await Promise.all(records.slice(first, first + readsAtOnce).map(whatBecameOf))))
  }
  // In the order in which they came: of two with one nonce, the later replaced the earlier.
  for (const each of known) restore(each)
  if (records.length > 0) log.info('operations restored', { count: records.length })
  for (const pool of pools.values()) await recoverReputation(pool)

  async function whatBecameOf(record: OperationRecord): Promise<Known> {
    const [event, sequence] = await Promise.all([
      store.event({ chainId: options.chainId, hash: record.hash }),
      modules.sequenceOnChain(record.op),
    ])
    return { record, event, sequence }
  }

  function restore({ record, event, sequence }: Known): void {
    const { hash } = record
    const pool = pools.get(record.op.version)
    if (pool === undefined) {
      log.error('operation of an EntryPoint that is not served any more', { operation: hash })
      return
    }
    if (event !== undefined) {
      const { success, transactionHash, block } = event
      const inclusion = { transactionHash, blockNumber: block.number, blockHash: block.hash }
      const state = { kind: 'included' as const, success, ...inclusion }
      states.apply(pool.version, [{ hash, sender: record.op.sender, state }])
      return
    }
    // Used up while we were away: the blocks we missed will say by whom, and until then it is merely next.
    const chainSequence =
      sequence < nonceSequence(record.op.nonce) ? sequence : nonceSequence(record.op.nonce)
    const effects = [...pool.restore(restoredCandidate(record, options.block, chainSequence), now())]
    const binding = bindings.get(hash)
    if (binding !== undefined) {
      effects.push(...pool.bundle([hash], binding.bundleId))
      effects.push(...pool.submitted([hash], binding.bundleId, binding.transactionHash))
    }
    states.apply(pool.version, effects)
  }

  async function recoverReputation(pool: PoolPort): Promise<void> {
    const records = await store.reputation({ chainId: options.chainId })
    pool.setReputation(records.filter((record) => versionAt(record.entryPoint) === pool.version))
  }
}

/**
 * Validates restored operations again, in the background: their facts may have changed while they slept.
 * One that fails now is dropped with the reason; one that nobody can judge stays.
 */
export async function revalidate({
  pools,
  judge,
  states,
  log,
}: Pick<Modules, 'pools' | 'states' | 'log'> & { judge: Judge }): Promise<void> {
  for (const pool of pools.values()) {
    const waiting = [...pool.entries()].filter(
      ({ state }) => state.kind === 'pending' || state.kind === 'queued',
    )
    for (const { op, hash } of waiting) {
      try {
        const { verdict } = await judge(op, pool)
        const state = pool.get(hash)?.state.kind
        if (state !== 'pending' && state !== 'queued') continue
        if (verdict.kind === 'accepted') pool.revalidated(hash, verdict.facts)
        if (verdict.kind === 'rejected') states.apply(pool.version, pool.drop(hash, verdict.error))
      } catch (error) {
        log.warn('operation not validated again', { operation: hash, error: describe(error) })
      }
    }
  }
}
