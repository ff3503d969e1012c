import type { Hex } from 'viem'
import { Unavailable } from '../../base/errors.ts'
import { NodeError } from '../../chain/node-error.ts'
import { emptyCodeHash, type Word } from '../../evm/word.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { BlockView } from './block-view.ts'
import type { CodeCache } from './code-cache.ts'
import { addressHex, bytesOfHex, wordHex } from './hex.ts'
import type { StateKeys } from './keys.ts'

export type StateReader = {
  node: NodeClient
  codes: CodeCache
  keccak: (bytes: Uint8Array) => Word
}

/**
 * Reads `keys` at the view's block into it: plain calls that every node has, all in one tick, so that they share one
 * request. Proofs would be fewer calls, but each is work for the node and kilobytes for the line.
 * @returns how many calls it took
 * @throws Unavailable when one of them could not be told; what the others told is kept
 */
export async function readState(keys: StateKeys, view: BlockView, reader: StateReader): Promise<number> {
  const reads: Promise<unknown>[] = []
  let calls = 0
  const read = (method: string, params: readonly unknown[]): Promise<Hex> => {
    calls += 1
    return readAt(reader.node, method, params, view)
  }
  for (const address of keys.accounts) reads.push(readAccount(address))
  for (const [address, slots] of keys.slots) {
    for (const slot of slots) reads.push(readSlot(address, slot))
  }
  for (const [codeHash, address] of keys.codes) {
    if (!keys.accounts.has(address)) reads.push(readCode(address, codeHash))
  }
  for (const number of keys.blockHashes) reads.push(readBlockHash(number))
  const failed = (await Promise.allSettled(reads)).find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return calls

  async function readAccount(address: Word): Promise<void> {
    const { codes } = reader
    const params = [addressHex(address)]
    const lasting = view.lastingCode.get(address)
    const knownHash = lasting !== undefined && codes.get(lasting) !== undefined ? lasting : undefined
    const [balance, nonce, codeHash] = await Promise.all([
      read('eth_getBalance', params).then(BigInt),
      read('eth_getTransactionCount', params).then(BigInt),
      knownHash ?? readCode(address),
    ])
    const isAbsent = balance === 0n && nonce === 0n && codeHash === emptyCodeHash
    view.learnAccount(address, isAbsent ? null : { balance, nonce, codeHash })
  }

  async function readSlot(address: Word, slot: Word): Promise<void> {
    view.learnSlot(
      address,
      slot,
      BigInt(await read('eth_getStorageAt', [addressHex(address), wordHex(slot)])),
    )
  }

  /** @returns the hash of the code, which is kept */
  async function readCode(address: Word, expected?: Word): Promise<Word> {
    const code = bytesOfHex(await read('eth_getCode', [addressHex(address)]))
    if (code.length === 0 && expected === undefined) return emptyCodeHash
    const codeHash = keepCode(address, code, view, reader)
    if (expected !== undefined && codeHash !== expected)
      throw new Unavailable(`a node gave other code of ${addressHex(address)} than before`)
    return codeHash
  }

  /** Hashes are told by number, so only while the view's block is itself the one of its number. */
  async function readBlockHash(number: bigint): Promise<void> {
    calls += 2
    const [hash, own] = await Promise.all([hashAt(number), hashAt(BigInt(view.block.number))])
    if (own !== BigInt(view.block.hash)) throw new Unavailable(`block ${view.block.hash} was taken back`)
    view.learnBlockHash(number, hash)
  }

  async function hashAt(number: bigint): Promise<Word> {
    const params = [`0x${number.toString(16)}`, false]
    const block = await reader.node.request<{ hash: Hex } | null>('eth_getBlockByNumber', params)
    if (block === null) throw new Unavailable(`no node knows block ${number}`)
    return BigInt(block.hash)
  }
}

/** @returns its hash */
export function keepCode(
  address: Word,
  code: Uint8Array,
  { lastingCode }: BlockView,
  { codes, keccak }: Omit<StateReader, 'node'>,
): Word {
  const codeHash = keccak(code)
  codes.put(codeHash, code)
  lastingCode.note(address, codeHash, code)
  return codeHash
}

/** An error that a node answers to a plain read is its own trouble. @throws Unavailable */
async function readAt(
  node: NodeClient,
  method: string,
  params: readonly unknown[],
  { block }: BlockView,
): Promise<Hex> {
  try {
    return await node.requestAt<Hex>(method, params, block)
  } catch (error) {
    if (error instanceof NodeError) throw new Unavailable(`${method}: ${error.message}`, { cause: error })
    throw error
  }
}
