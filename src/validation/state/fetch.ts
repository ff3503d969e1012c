import { zeroAddress } from 'viem'
import type { Context } from '../../base/context.ts'
import { Unavailable } from '../../base/errors.ts'
import { NodeError } from '../../chain/node-error.ts'
import type { Word } from '../../evm/word.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import { type BlockView, missingOf } from './block-view.ts'
import type { CodeCache } from './code-cache.ts'
import { listAccesses } from './foresight/access-list.ts'
import type { Foreseen, TraceableCall } from './foresight/foreseen.ts'
import type { Patterns } from './foresight/patterns.ts'
import { learnPrestates, tracePrestate } from './foresight/prestate.ts'
import { isUsable, type Standing, standingAfter } from './foresight/standing.ts'
import { addKeys, countKeys, keysBesides, noKeys, type StateKeys } from './keys.ts'
import { ReaderRefused, readByCall } from './read-by-call.ts'
import { readState } from './read-state.ts'

/** What some nodes can: tell what a call reads, by two ways, and let code of ours read for us. */
type Help = 'prestate' | 'access-list' | 'reader'

export type Fetcher = {
  /**
   * Reads `missing` into the view, and with it what `foreseen` makes likely: in one round trip, or in two where only an
   * access list can be had. By experience where runs of its shapes were seen before, else by asking a node.
   * @returns by what it was foreseen
   * @throws Unavailable when a read could not be told
   */
  fetch(missing: StateKeys, view: BlockView, foreseen: Foreseen | undefined): Promise<ForeseenBy>
}

export type ForeseenBy = 'experience' | 'the node' | 'nothing'

type Batch = { view: BlockView; keys: StateKeys; done: Promise<void> }

export function createFetcher(
  { chainId }: { chainId: number },
  modules: Context & {
    node: NodeClient
    codes: CodeCache
    patterns: Patterns
    keccak: (bytes: Uint8Array) => Word
    now: () => number
  },
): Fetcher {
  const { node, codes, patterns, metrics, now } = modules
  const standings = new Map<Help, Standing>()
  /** Under way: what two runs miss is asked for once. */
  const batches = new Set<Batch>()
  const calls = metrics.counter('state_calls_total', 'Calls to nodes for the state of runs.', [
    'chain',
    'kind',
  ])

  return {
    async fetch(missing, view, foreseen) {
      const wanted = noKeys()
      addKeys(wanted, missing)
      if (foreseen !== undefined) addKeys(wanted, foreseen.known)
      const learned = (foreseen?.shapes ?? []).map(patterns.foresee)
      for (const keys of learned) if (keys !== undefined) addKeys(wanted, keys)
      if (learned.length > 0 && !learned.includes(undefined)) {
        await readOnce(wanted, view)
        return 'experience'
      }
      const { call, alike } = foreseen ?? {}
      if (call !== undefined && isHelpful('prestate') && (await traced(call, view))) return 'the node'
      const [listed] = await Promise.all([
        alike !== undefined && isHelpful('access-list')
          ? helped('access-list', () => listAccesses(alike, view, node))
          : undefined,
        readOnce(wanted, view),
      ])
      if (listed === undefined) return 'nothing'
      await readOnce(listed, view)
      return 'the node'
    },
  }

  function isHelpful(help: Help): boolean {
    return isUsable(standings.get(help) ?? { kind: 'untried' }, now())
  }

  /** What the node's method gave; `undefined` when it is of no help, which is not asked again for a while. */
  async function helped<Answer>(help: Help, ask: () => Promise<Answer>): Promise<Answer | undefined> {
    calls.inc({ chain: chainId, kind: help })
    try {
      const answer = await ask()
      standings.set(help, { kind: 'works' })
      return answer
    } catch (error) {
      if (!(error instanceof NodeError) && !(error instanceof Unavailable)) throw error
      standings.set(help, standingAfter(error, now()))
      return undefined
    }
  }

  /** @returns whether it told anything */
  async function traced(call: TraceableCall, view: BlockView): Promise<boolean> {
    const [prestates] = await Promise.all([
      helped('prestate', () => tracePrestate(call, view, node)),
      readOnce(untoldBy(call, view), view),
    ])
    if (prestates === undefined) return false
    const unsure = [call.request.from ?? zeroAddress, call.coinbase]
    learnPrestates(prestates, { overrides: call.overrides, unsure }, view, modules)
    return true
  }

  /** A trace shows the code that an override put in place, not that of the block. */
  function untoldBy({ overrides, beside }: TraceableCall, { lastingCode }: BlockView): StateKeys {
    const keys = noKeys()
    if (beside !== undefined) addKeys(keys, beside)
    for (const [address, fields] of Object.entries(overrides)) {
      const isReplaced = typeof fields === 'object' && fields !== null && 'code' in fields
      if (isReplaced && lastingCode.get(BigInt(address)) === undefined) keys.accounts.add(BigInt(address))
    }
    return keys
  }

  /** Reads what is neither known nor on its way; resolves when all of it is there. */
  async function readOnce(wanted: StateKeys, view: BlockView): Promise<void> {
    let own = missingOf(wanted, view, codes)
    const others: Promise<void>[] = []
    for (const batch of batches) {
      if (batch.view !== view) continue
      const rest = keysBesides(own, batch.keys)
      if (countKeys(rest) < countKeys(own)) others.push(batch.done)
      own = rest
    }
    await Promise.all([...others, countKeys(own) === 0 ? undefined : read(own, view)])
  }

  async function read(keys: StateKeys, view: BlockView): Promise<void> {
    const batch = { view, keys, done: readAll(keys, view) }
    batches.add(batch)
    try {
      await batch.done
    } finally {
      batches.delete(batch)
    }
  }

  async function readAll(keys: StateKeys, view: BlockView): Promise<void> {
    const isWorthIt = countKeys(keys) > 1 && isHelpful('reader')
    const count = await (isWorthIt ? readTogether(keys, view) : readState(keys, view, modules))
    calls.inc({ chain: chainId, kind: 'read' }, count)
  }

  /** By one call, if the node takes it. @returns how many it took */
  async function readTogether(keys: StateKeys, view: BlockView): Promise<number> {
    try {
      const count = await readByCall(keys, view, modules)
      standings.set('reader', { kind: 'works' })
      return count
    } catch (error) {
      if (!(error instanceof ReaderRefused) && !(error instanceof Unavailable)) throw error
      // Some refuse what they do not know as if they had failed. Whoever then tells plainly has not.
      const count = await readState(keys, view, modules)
      standings.set('reader', standingAfter(error, now()))
      return count
    }
  }
}
