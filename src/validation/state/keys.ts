import type { StateKey } from '../../evm/state-source.ts'
import type { Word } from '../../evm/word.ts'

/** Parts of a block's state, each once. */
export type StateKeys = {
  /** with their code */
  readonly accounts: Set<Word>
  readonly nonces: Set<Word>
  readonly slots: Map<Word, Set<Word>>
  /** Code that was known and is not at hand any more: an account that has it, by code hash. */
  readonly codes: Map<Word, Word>
  readonly blockHashes: Set<bigint>
}

export function noKeys(): StateKeys {
  return {
    accounts: new Set(),
    nonces: new Set(),
    slots: new Map(),
    codes: new Map(),
    blockHashes: new Set(),
  }
}

export function addKey(keys: StateKeys, key: StateKey): void {
  switch (key.kind) {
    case 'account':
      keys.accounts.add(key.address)
      return
    case 'nonce':
      keys.nonces.add(key.address)
      return
    case 'code':
      keys.codes.set(key.codeHash, key.address)
      return
    case 'storage':
      addSlot(keys, key.address, key.slot)
      return
    case 'block-hash':
      keys.blockHashes.add(key.number)
  }
}

export function addSlot(keys: StateKeys, address: Word, slot: Word): void {
  const slots = keys.slots.get(address)
  if (slots === undefined) keys.slots.set(address, new Set([slot]))
  else slots.add(slot)
}

export function addKeys(keys: StateKeys, more: StateKeys): void {
  for (const address of more.accounts) keys.accounts.add(address)
  for (const address of more.nonces) keys.nonces.add(address)
  for (const [address, slots] of more.slots) for (const slot of slots) addSlot(keys, address, slot)
  for (const [codeHash, address] of more.codes) keys.codes.set(codeHash, address)
  for (const number of more.blockHashes) keys.blockHashes.add(number)
}

export function countKeys({ accounts, nonces, slots, codes, blockHashes }: StateKeys): number {
  let count = accounts.size + nonces.size + codes.size + blockHashes.size
  for (const ofAccount of slots.values()) count += ofAccount.size
  return count
}

/** Those of `keys` that are not among `others`. */
export function keysBesides(keys: StateKeys, others: StateKeys): StateKeys {
  const slots = [...keys.slots].flatMap(([address, wanted]) => {
    const rest = wanted.difference(others.slots.get(address) ?? new Set())
    return rest.size === 0 ? [] : [[address, rest] as const]
  })
  return {
    accounts: keys.accounts.difference(others.accounts),
    nonces: keys.nonces.difference(others.nonces),
    slots: new Map(slots),
    codes: new Map([...keys.codes].filter(([codeHash]) => !others.codes.has(codeHash))),
    blockHashes: keys.blockHashes.difference(others.blockHashes),
  }
}
