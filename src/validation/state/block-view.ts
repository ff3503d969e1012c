import type { Account } from '../../evm/state-source.ts'
import { emptyCodeHash, type Word } from '../../evm/word.ts'
import type { BlockRef } from '../../types/block.ts'
import type { CodeCache } from './code-cache.ts'
import { addSlot, noKeys, type StateKeys } from './keys.ts'
import type { LastingCode } from './lasting-code.ts'

/** What is known of the state of one block. What it says never changes, it only comes to know more. */
export type BlockView = {
  readonly block: BlockRef
  /** As known from this block and those before it. */
  readonly lastingCode: LastingCode
  /** `null`: it does not exist. */
  account(address: Word): Account | null | undefined
  nonce(address: Word): bigint | undefined
  slot(address: Word, slot: Word): Word | undefined
  blockHash(number: bigint): Word | undefined
  learnAccount(address: Word, account: Account | null): void
  learnNonce(address: Word, nonce: bigint): void
  learnSlot(address: Word, slot: Word, value: Word): void
  learnBlockHash(number: bigint, hash: Word): void
  /** Accounts, nonces, slots and hashes that it knows. */
  readonly size: number
}

export function createBlockView(block: BlockRef, lastingCode: LastingCode): BlockView {
  const accounts = new Map<Word, Account | null>()
  const nonces = new Map<Word, bigint>()
  const storage = new Map<Word, Map<Word, Word>>()
  const blockHashes = new Map<bigint, Word>()
  let size = 0
  return {
    block,
    lastingCode,
    account: (address) => accounts.get(address),
    nonce: (address) => nonces.get(address),
    slot: (address, slot) => storage.get(address)?.get(slot),
    blockHash: (number) => blockHashes.get(number),
    learnAccount(address, account) {
      if (accounts.has(address)) return
      accounts.set(address, account)
      size += 1
    },
    learnNonce(address, nonce) {
      if (nonces.has(address)) return
      nonces.set(address, nonce)
      size += 1
    },
    learnSlot(address, slot, value) {
      const slots = storage.get(address) ?? new Map<Word, Word>()
      if (slots.has(slot)) return
      if (slots.size === 0) storage.set(address, slots)
      slots.set(slot, value)
      size += 1
    },
    learnBlockHash(number, hash) {
      if (blockHashes.has(number)) return
      blockHashes.set(number, hash)
      size += 1
    },
    get size() {
      return size
    },
  }
}

/** Those of `keys` that are not at hand. */
export function missingOf(keys: StateKeys, view: BlockView, codes: CodeCache): StateKeys {
  const missing = noKeys()
  for (const address of keys.accounts) {
    const account = view.account(address)
    if (account === undefined) missing.accounts.add(address)
    else if (account !== null && account.codeHash !== emptyCodeHash && !codes.get(account.codeHash))
      missing.codes.set(account.codeHash, address)
  }
  for (const address of keys.nonces) if (view.nonce(address) === undefined) missing.nonces.add(address)
  for (const [address, slots] of keys.slots)
    for (const slot of slots) if (view.slot(address, slot) === undefined) addSlot(missing, address, slot)
  for (const [codeHash, address] of keys.codes)
    if (codes.get(codeHash) === undefined) missing.codes.set(codeHash, address)
  for (const number of keys.blockHashes)
    if (view.blockHash(number) === undefined) missing.blockHashes.add(number)
  return missing
}
