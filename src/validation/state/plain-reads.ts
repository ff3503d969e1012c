import type { Hex } from 'viem'
import { Unavailable } from '../../base/errors.ts'
import { NodeError } from '../../chain/node-error.ts'
import { emptyCodeHash, type Word } from '../../evm/word.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { BlockView } from './block-view.ts'
import type { CodeCache } from './code-cache.ts'
import { addressHex, bytesOfHex, wordHex } from './hex.ts'

export type StateReader = {
  node: NodeClient
  codes: CodeCache
  keccak: (bytes: Uint8Array) => Word
}

/**
 * Calls that every node has, each of which the view learns from.
 * @throws Unavailable when one could not be told
 */
export type PlainReads = {
  account(address: Word): Promise<void>
  nonce(address: Word): Promise<bigint>
  slot(address: Word, slot: Word): Promise<void>
  /** The code of an account, which is kept; `expected` if it was known before. @returns its hash */
  code(address: Word, expected?: Word): Promise<Word>
  blockHash(number: bigint): Promise<void>
  /** So far. */
  readonly calls: number
}

export function createPlainReads(view: BlockView, reader: StateReader): PlainReads {
  let calls = 0

  /** An error that a node answers to a plain read is its own trouble. */
  async function read(method: string, params: readonly unknown[]): Promise<Hex> {
    calls += 1
    try {
      return await reader.node.requestAt<Hex>(method, params, view.block)
    } catch (error) {
      if (error instanceof NodeError) throw new Unavailable(`${method}: ${error.message}`, { cause: error })
      throw error
    }
  }

  async function nonceOf(address: Word): Promise<bigint> {
    const nonce = BigInt(await read('eth_getTransactionCount', [addressHex(address)]))
    view.learnNonce(address, nonce)
    return nonce
  }

  async function code(address: Word, expected?: Word): Promise<Word> {
    const bytes = bytesOfHex(await read('eth_getCode', [addressHex(address)]))
    if (bytes.length === 0 && expected === undefined) return emptyCodeHash
    const codeHash = keepCode(address, bytes, view, reader)
    if (expected !== undefined && codeHash !== expected)
      throw new Unavailable(`a node gave other code of ${addressHex(address)} than before`)
    return codeHash
  }

  async function hashAt(number: bigint): Promise<Word> {
    calls += 1
    const params = [`0x${number.toString(16)}`, false]
    const block = await reader.node.request<{ hash: Hex } | null>('eth_getBlockByNumber', params)
    if (block === null) throw new Unavailable(`no node knows block ${number}`)
    return BigInt(block.hash)
  }

  return {
    async account(address) {
      const lasting = lastingCodeOf(address, view, reader)
      const [balance, codeHash, nonce] = await Promise.all([
        read('eth_getBalance', [addressHex(address)]).then(BigInt),
        lasting ?? code(address),
        lasting === undefined ? nonceOf(address) : undefined,
      ])
      const isAbsent = balance === 0n && nonce === 0n && codeHash === emptyCodeHash
      view.learnAccount(address, isAbsent ? null : { balance, codeHash })
    },
    nonce: nonceOf,
    async slot(address, slot) {
      const value = await read('eth_getStorageAt', [addressHex(address), wordHex(slot)])
      view.learnSlot(address, slot, BigInt(value))
    },
    code,
    /** Hashes are told by number, so only while the view's block is itself the one of its number. */
    async blockHash(number) {
      const [hash, own] = await Promise.all([hashAt(number), hashAt(BigInt(view.block.number))])
      if (own !== BigInt(view.block.hash)) throw new Unavailable(`block ${view.block.hash} was taken back`)
      view.learnBlockHash(number, hash)
    },
    get calls() {
      return calls
    },
  }
}

/** Of code that need not be read again: it is at hand, and the account has it for good. */
export function lastingCodeOf(
  address: Word,
  { lastingCode }: BlockView,
  { codes }: Pick<StateReader, 'codes'>,
): Word | undefined {
  const lasting = lastingCode.get(address)
  return lasting !== undefined && codes.get(lasting) !== undefined ? lasting : undefined
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
