import type { AccountChange } from '../../src/evm/state/state.ts'
import type { StateSource } from '../../src/evm/state-source.ts'
import { emptyCodeHash, type Word } from '../../src/evm/word.ts'

/** An account of a made-up state; what is left out is zero or empty. */
export type SomeAccount = {
  readonly balance?: bigint
  readonly nonce?: bigint
  readonly code?: Uint8Array
  readonly storage?: ReadonlyMap<Word, Word>
}

/** A source with these accounts and no others. Block hashes are the block's number. */
export function stateOf(
  accounts: ReadonlyMap<Word, SomeAccount>,
  keccak: (bytes: Uint8Array) => Word,
): StateSource {
  const hashes = new Map(
    [...accounts].map(([address, { code }]) => [address, code ? keccak(code) : emptyCodeHash]),
  )
  return {
    account(address) {
      const account = accounts.get(address)
      if (account === undefined) return undefined
      return { balance: account.balance ?? 0n, codeHash: hashes.get(address) ?? emptyCodeHash }
    },
    nonce: (address) => accounts.get(address)?.nonce ?? 0n,
    code: (_, address) => accounts.get(address)?.code ?? new Uint8Array(),
    storage: (address, slot) => accounts.get(address)?.storage?.get(slot) ?? 0n,
    blockHash: (number) => number,
  }
}

/** The accounts that a run has left, from nothing. */
export function accountsAfter(changes: Iterable<AccountChange>): Map<Word, SomeAccount> {
  const accounts = new Map<Word, SomeAccount>()
  for (const { address, account, code, slots } of changes) {
    if (account === undefined) continue
    const storage = new Map([...slots].map(([slot, { value }]) => [slot, value]))
    accounts.set(address, { balance: account.balance, nonce: account.nonce, storage, ...(code && { code }) })
  }
  return accounts
}
