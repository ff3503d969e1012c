import { concatHex, type Hash } from 'viem'
import type { Context } from '../../base/context.ts'
import type { Turns } from '../../base/turns.ts'
import type { Hardfork } from '../../evm/hardfork.ts'
import type { Word } from '../../evm/word.ts'
import type { BlockRef } from '../../types/block.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import { type Attempt, type AttemptModules, attemptOn, isComplete } from './attempt.ts'
import { type BlockView, createBlockView, missingOf } from './block-view.ts'
import type { CodeCache } from './code-cache.ts'
import { createFetcher, type ForeseenBy } from './fetch.ts'
import type { Foreseen } from './foresight/foreseen.ts'
import { createPatterns, type EntryHash } from './foresight/patterns.ts'
import { bytesOfHex, wordHex } from './hex.ts'
import { addKeys, countKeys, noKeys } from './keys.ts'
import { createLastingCode } from './lasting-code.ts'
import { ScatteredState } from './scattered-state.ts'

/** Rounds of fetching for one run: code that needs more follows pointers through storage, to keep us busy. */
export const mostRounds = 8
/** Blocks by whose hashes a reorg shows. */
const mostHashes = 64
/** Blocks that are remembered: the newest, and those of runs that began before it or are a little ahead. */
const mostViews = 3
/** Accounts and slots of one block; about 200 bytes each, so 12 MB a block. */
const mostKnown = 60_000
/** Operations' state that is fetched ahead at once, in accounts and slots. */
const mostPrepared = 2_000

/**
 * The state of one chain for the runs of a worker: fetched by need and by foresight, shared, and never of two blocks
 * in one run.
 */
export type ChainState = {
  /** Holds on to the block: a run that is given it sees that block only, however long it takes. */
  viewAt(block: BlockRef & { parentHash?: Hash | undefined }): BlockView
  /**
   * Calls `attempt` until it had all that it asked for: it must begin anew each time, and what it returns or throws
   * before is dropped. `foresee` is asked when something is missing, and again when nothing is any more.
   * @param options.turn when an attempt may be made
   * @param options.certain an account that it reads in any case: while that is not known, nothing is attempted
   * @throws what the last attempt threw
   * @throws ScatteredState when there is no end of what it asks for
   * @throws Unavailable when the nodes could not tell
   */
  run<Result>(
    view: BlockView,
    foresee: () => Foreseen,
    attempt: (modules: AttemptModules) => Result,
    options?: { turn?: Turns; certain?: Word },
  ): Promise<Result>
  /**
   * Fetches ahead what runs of these kinds will read at the view's block, as far as it is known by experience.
   * @throws Unavailable
   */
  prepare(view: BlockView, foreseen: readonly Foreseen[]): Promise<void>
  /** Where Solidity puts an entry of a mapping. */
  readonly entryHash: EntryHash
  /** keccak-256 of the code that an account has for good, where that is known. */
  lastingCode(address: Word): Word | undefined
  /** A reorg: contracts may be others than they were. */
  forgetCode(): void
}

export function createChainState(
  { chainId, hardfork }: { chainId: number; hardfork: Hardfork },
  modules: Context & {
    node: NodeClient
    /** Shared by all chains: code is the same everywhere. */
    codes: CodeCache
    keccak: (bytes: Uint8Array) => Word
    now: () => number
  },
): ChainState {
  const { codes, keccak, metrics } = modules
  let lastingCode = createLastingCode({ hardfork })
  /** Of the blocks that were seen last, by number. */
  const hashes = new Map<number, Hash>()
  const patterns = createPatterns(entryHash)
  const fetcher = createFetcher({ chainId }, { ...modules, patterns })
  const views = new Map<string, BlockView>()
  const runs = metrics.counter('state_runs_total', 'Runs by the rounds of fetching that they took.', [
    'chain',
    'rounds',
  ])

  return {
    viewAt({ number, hash, parentHash }) {
      const block = { number, hash }
      if (isOfOtherChain(number, hash) || (parentHash && isOfOtherChain(number - 1, parentHash))) forgetCode()
      noteHash(block)
      const known = views.get(block.hash)
      views.delete(block.hash)
      const view = known !== undefined && known.size < mostKnown ? known : createBlockView(block, lastingCode)
      views.set(block.hash, view)
      for (const oldest of views.keys()) {
        if (views.size <= mostViews) break
        views.delete(oldest)
      }
      return view
    },

    async run(view, foresee, attempt, { turn, certain } = {}) {
      const isCold = certain !== undefined && view.account(certain) === undefined
      let foreseenBy = isCold ? await fetcher.fetch(noKeys(), view, foresee()) : undefined
      for (let round = isCold ? 1 : 0; ; round += 1) {
        const trial = attemptOn(view, { codes, keccak })
        const tried = () => endOf(() => attempt(round === 0 ? { source: trial.source, keccak } : trial))
        const end = turn === undefined ? tried() : await turn(tried)
        if (isComplete(trial)) {
          runs.inc({ chain: chainId, rounds: Math.min(round, mostRounds) })
          if (round > 0 && foreseenBy !== 'experience') learnFrom(trial, foresee())
          if (end.kind === 'threw') throw end.error
          return end.result
        }
        if (round >= mostRounds && round >= (foresee().mostRounds ?? mostRounds)) {
          runs.inc({ chain: chainId, rounds: 'too-many' })
          throw new ScatteredState(round)
        }
        foreseenBy = await fetcher.fetch(trial.missing, view, foreseeAfter(foreseenBy, foresee))
      }
    },

    async prepare(view, foreseen) {
      const wanted = noKeys()
      for (const { known, shapes = [] } of foreseen) {
        if (countKeys(wanted) >= mostPrepared) break
        addKeys(wanted, known)
        for (const learned of shapes.map(patterns.foresee))
          if (learned !== undefined) addKeys(wanted, learned)
      }
      await fetcher.fetch(missingOf(wanted, view, codes), view, undefined)
    },

    entryHash,
    lastingCode: (address) => lastingCode.get(address),
    forgetCode,
  }

  /** What experience has left out the node is asked for, once. */
  function foreseeAfter(tried: ForeseenBy | undefined, foresee: () => Foreseen): Foreseen | undefined {
    if (tried === undefined) return foresee()
    return tried === 'experience' ? { ...foresee(), shapes: [] } : undefined
  }

  function learnFrom({ read, entries }: Attempt, { shapes: [shape, ...others] = [] }: Foreseen): void {
    if (shape !== undefined && others.length === 0) patterns.learn(shape, read, entries)
  }

  /** A reorg that nobody has told of yet: a node may know before we do. */
  function isOfOtherChain(number: number, hash: Hash): boolean {
    return (hashes.get(number) ?? hash) !== hash
  }

  function noteHash({ number, hash }: BlockRef): void {
    hashes.delete(number)
    hashes.set(number, hash)
    for (const oldest of hashes.keys()) {
      if (hashes.size <= mostHashes) break
      hashes.delete(oldest)
    }
  }

  function forgetCode(): void {
    lastingCode = createLastingCode({ hardfork })
    hashes.clear()
    views.clear()
  }

  function entryHash(key: Word, base: Word): Word {
    return keccak(bytesOfHex(concatHex([wordHex(key), wordHex(base)])))
  }
}

type End<Result> = { kind: 'returned'; result: Result } | { kind: 'threw'; error: unknown }

function endOf<Result>(attempt: () => Result): End<Result> {
  try {
    return { kind: 'returned', result: attempt() }
  } catch (error) {
    return { kind: 'threw', error }
  }
}
