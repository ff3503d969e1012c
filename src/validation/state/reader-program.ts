import type { Hex } from 'viem'
import type { Word } from '../../evm/word.ts'
import { wordHex } from './hex.ts'

/** Storage of one account. */
export type SlotsOf = { address: Word; slots: readonly Word[] }

/** What one program is to tell. */
export type Questions = { accounts: readonly Word[]; storage: readonly SlotsOf[] }

/**
 * EVM code that returns the value of each slot, of the account that it stands in for, that the call data names: a word
 * each. It needs PUSH0 (EIP-3855).
 */
export const slotReader: Hex = '0x5f5b80361460135780355481526020016001565b365ff3'

/** What the program gave, in the order of its questions. @throws RangeError when it cannot be its answer */
export function answersIn(returned: Hex, { accounts, storage }: Questions): Answers {
  let read = 2
  function word(): Word {
    const digits = returned.slice(read, read + 2 * wordSize)
    if (digits.length < 2 * wordSize) throw new RangeError('the answer is too short')
    read += 2 * wordSize
    return BigInt(`0x${digits}`)
  }
  const answers = {
    accounts: accounts.map((address) => ({ address, balance: word(), codeHash: word() })),
    storage: storage.map(({ address, slots }) => {
      const values = slots.map((slot) => [slot, word()] as const)
      if (word() !== BigInt(slots.length * wordSize)) throw new RangeError('another code was run')
      return { address, values }
    }),
  }
  if (read !== returned.length) throw new RangeError('the answer is too long')
  return answers
}

export type Answers = {
  /** Balance in wei; `codeHash` is 0 for an account that does not exist. */
  accounts: readonly { address: Word; balance: bigint; codeHash: Word }[]
  storage: readonly { address: Word; values: readonly (readonly [slot: Word, value: Word])[] }[]
}

/** bytes */
const wordSize = 32

/**
 * EVM code that tells balance and code hash of each account, then what `slotReader` tells at each account whose storage
 * is asked for, and how many bytes it told: a word each, in this order. It is one straight line, made for its questions.
 */
export function readerProgram({ accounts, storage }: Questions): Hex {
  let code = ''
  let size = 0
  for (const address of accounts) {
    code += `${push(address, 20)}${op.balance}${push(BigInt(size), 2)}${op.mstore}`
    code += `${push(address, 20)}${op.extcodehash}${push(BigInt(size + wordSize), 2)}${op.mstore}`
    size += 2 * wordSize
  }
  for (const { address, slots } of storage) {
    const place = push(BigInt(size), 2)
    for (const slot of slots) {
      code += `${push(slot, wordSize)}${push(BigInt(size), 2)}${op.mstore}`
      size += wordSize
    }
    const length = push(BigInt(slots.length * wordSize), 2)
    // The answers take the place of the questions.
    code += `${length}${place}${length}${place}${push(address, 20)}${op.gas}${op.staticcall}${op.pop}`
    code += `${op.returndatasize}${push(BigInt(size), 2)}${op.mstore}`
    size += wordSize
  }
  return `0x${code}${push(BigInt(size), 2)}${op.push0}${op.return}`
}

const op = {
  balance: '31',
  returndatasize: '3d',
  extcodehash: '3f',
  pop: '50',
  mstore: '52',
  gas: '5a',
  push0: '5f',
  return: 'f3',
  staticcall: 'fa',
}

/** PUSH1 is 0x60. @param size bytes */
function push(value: Word, size: number): string {
  const digits = wordHex(value).slice(-2 * size)
  return (0x5f + size).toString(16) + digits
}

/** Parts with at most `mostWords` answers each. */
export function divided({ accounts, storage }: Questions, mostWords: number): Questions[] {
  const parts: Questions[] = []
  let part: { accounts: Word[]; storage: SlotsOf[] } = { accounts: [], storage: [] }
  let room = mostWords
  const next = () => {
    parts.push(part)
    part = { accounts: [], storage: [] }
    room = mostWords
  }
  for (const address of accounts) {
    if (room < 2) next()
    part.accounts.push(address)
    room -= 2
  }
  for (const { address, slots } of storage) {
    for (let from = 0; from < slots.length; ) {
      if (room < 2) next()
      const some = slots.slice(from, from + room - 1)
      part.storage.push({ address, slots: some })
      from += some.length
      room -= some.length + 1
    }
  }
  if (room < mostWords) next()
  return parts
}
