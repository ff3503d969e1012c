import { MissingState, type StateKey, type StateSource } from '../../evm/state-source.ts'
import type { Word } from '../../evm/word.ts'
import type { BlockView } from './block-view.ts'
import type { CodeCache } from './code-cache.ts'
import type { Entries } from './foresight/patterns.ts'
import { hexOfBytes } from './hex.ts'
import { addKey, countKeys, noKeys, type StateKeys } from './keys.ts'

/** What one try at a run is given. */
export type AttemptModules = {
  source: StateSource
  /** keccak-256, for the run's own use */
  keccak: (bytes: Uint8Array) => Word
}

/** One try at a run on what is known of a block, and what it showed. */
export type Attempt = AttemptModules & {
  /** What it had to do without. If there is any, whatever came of the attempt is void. */
  readonly missing: StateKeys
  /** What it read, as far as it was at hand. */
  readonly read: StateKeys
  readonly entries: Entries
}

/** Slots and hashes that one attempt may guess: what it does behind so many guesses tells little. */
const mostGuesses = 64
/** Entries of mappings that one attempt notes. Honest validation hashes a dozen; what comes later is not learned. */
const mostEntries = 500
/** bytes: key ‖ slot, what Solidity hashes for an entry of a mapping */
const entrySize = 64

type Guessable = Extract<StateKey, { kind: 'storage' | 'block-hash' }>

/**
 * Reads from a view. A slot that is not at hand is taken for zero, so that one attempt finds many that are missing; an
 * account or code that is not at hand ends it.
 */
export function attemptOn(
  view: BlockView,
  { codes, keccak }: { codes: CodeCache; keccak: (bytes: Uint8Array) => Word },
): Attempt {
  const missing = noKeys()
  const read = noKeys()
  const entries = new Map<Word, { key: Word; base: Word }>()
  let guesses = 0

  function guess(key: Guessable): Word {
    addKey(missing, key)
    guesses += 1
    if (guesses >= mostGuesses) throw new MissingState(key)
    return 0n
  }

  function without(key: StateKey): MissingState {
    addKey(missing, key)
    return new MissingState(key)
  }

  return {
    missing,
    read,
    entries,
    keccak(bytes) {
      const hash = keccak(bytes)
      if (bytes.length === entrySize && entries.size < mostEntries) {
        entries.set(hash, { key: wordIn(bytes.subarray(0, 32)), base: wordIn(bytes.subarray(32)) })
      }
      return hash
    },
    source: {
      account(address) {
        const account = view.account(address)
        if (account === undefined) throw without({ kind: 'account', address })
        read.accounts.add(address)
        return account ?? undefined
      },
      nonce(address) {
        const nonce = view.nonce(address)
        if (nonce === undefined) throw without({ kind: 'nonce', address })
        read.nonces.add(address)
        return nonce
      },
      code(codeHash, address) {
        const code = codes.get(codeHash)
        if (code === undefined) throw without({ kind: 'code', codeHash, address })
        return code
      },
      storage(address, slot) {
        const value = view.slot(address, slot)
        if (value === undefined) return guess({ kind: 'storage', address, slot })
        addKey(read, { kind: 'storage', address, slot })
        return value
      },
      blockHash: (number) => view.blockHash(number) ?? guess({ kind: 'block-hash', number }),
    },
  }
}

export const isComplete = ({ missing }: Attempt): boolean => countKeys(missing) === 0

const wordIn = (bytes: Uint8Array): Word => BigInt(hexOfBytes(bytes))
