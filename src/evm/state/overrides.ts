import type { StateSource } from '../state-source.ts'
import { emptyCodeHash, type Word } from '../word.ts'

/** What to pretend about an account, as the third argument of `eth_call` has it. What is left out stays. */
export type AccountOverride = {
  /** wei */
  readonly balance?: bigint
  readonly nonce?: bigint
  readonly code?: Uint8Array
  /** The whole storage: slots that are not named are zero. Goes before `stateDiff`. */
  readonly state?: ReadonlyMap<Word, Word>
  /** These slots only. */
  readonly stateDiff?: ReadonlyMap<Word, Word>
}

export type StateOverrides = ReadonlyMap<Word, AccountOverride>

/** The hashes of code that overrides brought: the same come with run after run, and some are large. */
const known = new WeakMap<Uint8Array, Word>()

/** Puts overrides in front of a source. What they make needless is not asked of it. */
export function withOverrides(
  source: StateSource,
  overrides: StateOverrides,
  keccak: (bytes: Uint8Array) => Word,
): StateSource {
  const codes = new Map<Word, Uint8Array>()
  const hashes = new Map<Word, Word>()
  for (const [address, { code }] of overrides) {
    if (code === undefined) continue
    const hash = known.get(code) ?? keccak(code)
    known.set(code, hash)
    hashes.set(address, hash)
    codes.set(hash, code)
  }
  return {
    account(address) {
      const override = overrides.get(address)
      if (override === undefined) return source.account(address)
      const codeHash = hashes.get(address)
      const { balance } = override
      if (balance !== undefined && codeHash !== undefined) return { balance, codeHash }
      const account = source.account(address)
      return {
        balance: balance ?? account?.balance ?? 0n,
        codeHash: codeHash ?? account?.codeHash ?? emptyCodeHash,
      }
    },
    nonce(address) {
      const override = overrides.get(address)
      if (override === undefined) return source.nonce(address)
      return override.nonce ?? (source.account(address) === undefined ? 0n : source.nonce(address))
    },
    code: (codeHash, address) => codes.get(codeHash) ?? source.code(codeHash, address),
    storage(address, slot) {
      const override = overrides.get(address)
      if (override?.state !== undefined) return override.state.get(slot) ?? 0n
      return override?.stateDiff?.get(slot) ?? source.storage(address, slot)
    },
    blockHash: (number) => source.blockHash(number),
  }
}
