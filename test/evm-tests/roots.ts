import { createMPT } from '@ethereumjs/mpt'
import { encode } from '@ethereumjs/rlp'
import type { Crypto } from '../../src/evm/crypto/crypto.ts'
import type { Log } from '../../src/evm/outcome.ts'
import type { AccountChange, ChangedAccount } from '../../src/evm/state/state.ts'
import { bytesOf, type Word } from '../../src/evm/word.ts'
import type { PreState } from './world.ts'

type Keccak = Crypto['keccak256']

type PostAccount = { readonly account: ChangedAccount; readonly storage: ReadonlyMap<Word, Word> }

/** The root of the state after `changes`. */
export async function stateRoot(
  pre: PreState,
  changes: Iterable<AccountChange>,
  keccak: Keccak,
): Promise<Word> {
  const leaves: [Word, Uint8Array][] = []
  for (const [address, { account, storage }] of postState(pre, changes)) {
    const slots = [...storage].map(([slot, value]) => [bytesOf(slot, 32), encode(value)] as const)
    const storageRoot = await trieRoot(slots, keccak)
    const fields = [account.nonce, account.balance, bytesOf(storageRoot, 32), bytesOf(account.codeHash, 32)]
    leaves.push([address, encode(fields)])
  }
  return trieRoot(
    leaves.map(([address, leaf]) => [bytesOf(address, 20), leaf] as const),
    keccak,
  )
}

function postState(pre: PreState, changes: Iterable<AccountChange>): Map<Word, PostAccount> {
  const post = new Map<Word, PostAccount>(pre)
  for (const { address, account, isFresh, slots } of changes) {
    const storage = new Map(isFresh ? [] : pre.get(address)?.storage)
    for (const [slot, { value }] of slots) {
      if (value === 0n) storage.delete(slot)
      else storage.set(slot, value)
    }
    if (account === undefined) post.delete(address)
    else if (isMet(account) || pre.has(address)) post.set(address, { account, storage })
  }
  return post
}

/** Not an account that was only asked about, and is not there. */
const isMet = ({ nonce, balance }: ChangedAccount): boolean => nonce !== 0n || balance !== 0n

async function trieRoot(
  leaves: readonly (readonly [Uint8Array, Uint8Array])[],
  keccak: Keccak,
): Promise<Word> {
  const hash = (data: Uint8Array): Uint8Array => bytesOf(keccak(data), 32)
  const trie = await createMPT({ useKeyHashing: true, useKeyHashingFunction: hash })
  for (const [key, value] of leaves) await trie.put(key, value)
  return BigInt(`0x${trie.root().toHex()}`)
}

export function logsHash(logs: readonly Log[], keccak: Keccak): Word {
  return keccak(
    encode(
      logs.map(({ address, topics, data }) => [
        bytesOf(address, 20),
        topics.map((topic) => bytesOf(topic, 32)),
        data,
      ]),
    ),
  )
}
