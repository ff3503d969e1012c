import type { Word } from '../../../evm/word.ts'
import { addSlot, countKeys, noKeys, type StateKeys } from '../keys.ts'

/** What tells runs apart that read different things, and who takes part in this one. */
export type Shape = {
  /** Kinds of runs that read alike, the narrowest first: equal EntryPoint, paymaster, code of the sender… */
  names: readonly string[]
  /** Addresses and words that differ from run to run; of equal ones the first counts. */
  roles: ReadonlyMap<string, Word>
}

/** A slot as an expression over a run's roles: a word, or an entry of a Solidity mapping and what lies behind it. */
type SlotRule = { kind: 'word'; word: Term } | { kind: 'entry'; key: Term; base: SlotRule; offset: bigint }

type Term = { role: string } | Word

type Pattern = {
  accounts: readonly Term[]
  nonces: readonly Term[]
  slots: readonly { account: Term; slot: SlotRule }[]
}

/** keccak-256 of 64 bytes, key ‖ base: where Solidity puts the entry of a mapping at slot `base`. */
export type EntryHash = (key: Word, base: Word) => Word

/** The 64-byte inputs that a run hashed, by their hash. */
export type Entries = ReadonlyMap<Word, { key: Word; base: Word }>

/** Below it a word may equal a role by chance: slots of a contract's variables are such words. */
const leastTelling = 2n ** 64n
/** Words behind an entry that belong to it: members of a struct. */
const largestStruct = 16n
/** Mappings of mappings. */
const deepest = 4
/** A run that reads more is no pattern: it would cost more to read ahead than it saves. */
const mostKeys = 128
/** About 10 kB each at most, so 5 MB. */
const mostPatterns = 500

/** What runs of a shape have read, for runs of the same shape to come. */
export type Patterns = {
  learn(shape: Shape, read: StateKeys, entries: Entries): void
  /** `undefined`: nothing is known of such runs. */
  foresee(shape: Shape): StateKeys | undefined
}

export function createPatterns(entryHash: EntryHash): Patterns {
  const patterns = new Map<string, Pattern>()
  return {
    learn(shape, read, entries) {
      const pattern = countKeys(read) > mostKeys ? undefined : patternOf(shape, read, entries)
      for (const name of shape.names) {
        patterns.delete(name)
        if (pattern !== undefined) patterns.set(name, pattern)
      }
      for (const oldest of patterns.keys()) {
        if (patterns.size <= mostPatterns) break
        patterns.delete(oldest)
      }
    },
    foresee(shape) {
      const name = shape.names.find((each) => patterns.has(each))
      const pattern = name === undefined ? undefined : patterns.get(name)
      return pattern === undefined ? undefined : keysOf(pattern, shape, entryHash)
    },
  }
}

function patternOf({ roles }: Shape, read: StateKeys, entries: Entries): Pattern {
  const roleOf = new Map([...roles].toReversed().map(([role, word]) => [word, role]))
  const hashes = [...entries.keys()]

  function keyOf(word: Word): Term {
    const role = roleOf.get(word)
    return role === undefined ? word : { role }
  }

  const termOf = (word: Word): Term => (word < leastTelling ? word : keyOf(word))

  function ruleOf(slot: Word, depth: number): SlotRule {
    const hash = hashes.find((start) => start <= slot && slot < start + largestStruct)
    const entry = hash === undefined ? undefined : entries.get(hash)
    if (hash === undefined || entry === undefined || depth >= deepest)
      return { kind: 'word', word: termOf(slot) }
    const base = ruleOf(entry.base, depth + 1)
    return { kind: 'entry', key: keyOf(entry.key), base, offset: slot - hash }
  }

  return {
    accounts: [...read.accounts].map(termOf),
    nonces: [...read.nonces].map(termOf),
    slots: [...read.slots].flatMap(([address, slots]) =>
      [...slots].map((slot) => ({ account: termOf(address), slot: ruleOf(slot, 0) })),
    ),
  }
}

function keysOf({ accounts, nonces, slots }: Pattern, { roles }: Shape, entryHash: EntryHash): StateKeys {
  const keys = noKeys()
  const wordOf = (term: Term): Word | undefined => (typeof term === 'bigint' ? term : roles.get(term.role))

  function slotOf(rule: SlotRule): Word | undefined {
    if (rule.kind === 'word') return wordOf(rule.word)
    const key = wordOf(rule.key)
    const base = slotOf(rule.base)
    if (key === undefined || base === undefined) return undefined
    return BigInt.asUintN(256, entryHash(key, base) + rule.offset)
  }

  for (const term of accounts) {
    const address = wordOf(term)
    if (address !== undefined) keys.accounts.add(address)
  }
  for (const term of nonces) {
    const address = wordOf(term)
    if (address !== undefined) keys.nonces.add(address)
  }
  for (const { account, slot } of slots) {
    const address = wordOf(account)
    const word = slotOf(slot)
    if (address !== undefined && word !== undefined) addSlot(keys, address, word)
  }
  return keys
}
