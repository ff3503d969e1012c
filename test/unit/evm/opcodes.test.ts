import { describe, expect, test } from 'bun:test'
import type { FrameView } from '../../../src/evm/observer.ts'
import { operations } from '../../../src/evm/opcodes/table.ts'
import { signed, wordMask } from '../../../src/evm/word.ts'
import { code, returnTop } from '../../support/evmCode.ts'
import { caller, contract, returned, run } from '../../support/evmRun.ts'

const max = wordMask
const minusOne = wordMask
const smallest = 1n << 255n

/** Operands from the top of the stack. */
function result(name: string, ...operands: readonly bigint[]): bigint {
  return returned({ hardfork: 'osaka', code: code(...operands.toReversed(), name, ...returnTop) })
}

describe('what opcodes compute', () => {
  test.each([
    ['ADD', [max, 2n], 1n],
    ['MUL', [max, max], 1n],
    ['SUB', [1n, 2n], minusOne],
    ['DIV', [7n, 2n], 3n],
    ['DIV', [7n, 0n], 0n],
    ['SDIV', [minusOne, 2n], 0n],
    ['SDIV', [smallest, minusOne], smallest],
    ['MOD', [7n, 0n], 0n],
    ['SMOD', [minusOne - 6n, 3n], minusOne],
    ['ADDMOD', [max, max, 7n], (2n * max) % 7n],
    ['MULMOD', [max, max, 12n], (max * max) % 12n],
    ['MULMOD', [max, max, 0n], 0n],
    ['EXP', [3n, 200n], (3n ** 200n) & wordMask],
    ['EXP', [0n, 0n], 1n],
    ['SIGNEXTEND', [0n, 0x80n], max - 0x7fn],
    ['SIGNEXTEND', [31n, 0x80n], 0x80n],
    ['SIGNEXTEND', [max, 0x80n], 0x80n],
    ['SLT', [minusOne, 0n], 1n],
    ['SGT', [minusOne, 0n], 0n],
    ['ISZERO', [0n], 1n],
    ['NOT', [0n], max],
    ['XOR', [0b1100n, 0b1010n], 0b0110n],
    ['BYTE', [31n, 0xabcdn], 0xcdn],
    ['BYTE', [32n, max], 0n],
    ['SHL', [255n, 3n], smallest],
    ['SHL', [256n, max], 0n],
    ['SHR', [256n, max], 0n],
    ['SAR', [4n, smallest], max - (max >> 5n)],
    ['SAR', [max, smallest], max],
    ['SAR', [256n, 5n], 0n],
    ['CLZ', [0n], 256n],
    ['CLZ', [1n], 255n],
    ['CLZ', [smallest], 0n],
  ] as const)('%s %p is %p', (name, operands, expected) => {
    expect(result(name, ...operands)).toBe(expected)
  })

  test('the sign of a word is its highest bit', () => {
    expect([signed(smallest - 1n), signed(smallest), signed(max)]).toEqual([smallest - 1n, -smallest, -1n])
  })
})

describe('what opcodes tell', () => {
  test.each([
    ['ADDRESS', contract],
    ['CALLER', caller],
    ['ORIGIN', caller],
    ['CALLVALUE', 5n],
    ['CALLDATASIZE', 3n],
    ['GASPRICE', 7n],
    ['CHAINID', 1n],
    ['SELFBALANCE', 105n],
    ['NUMBER', 1_000_000n],
    ['TIMESTAMP', 1_800_000_000n],
    ['COINBASE', 0xc0ffeen],
    ['PREVRANDAO', 42n],
    ['GASLIMIT', 60_000_000n],
    ['BASEFEE', 9n],
    ['BLOBBASEFEE', 1n],
    ['PC', 0n],
    ['MSIZE', 0n],
    ['RETURNDATASIZE', 0n],
  ] as const)('%s', (name, expected) => {
    const message = { value: 5n, input: Uint8Array.of(1, 2, 3) }
    const scene = { code: code(name, ...returnTop), balance: 100n, block: { baseFee: 9n }, message }
    expect(returned(scene)).toBe(expected)
  })

  test('CALLDATALOAD has zeros beyond the end, however far', () => {
    const at = (start: bigint) =>
      returned({
        code: code(start, 'CALLDATALOAD', ...returnTop),
        message: { input: Uint8Array.of(0xaa, 0xbb) },
      })
    expect([at(0n), at(1n), at(2n), at(max)]).toEqual([0xaabbn << 240n, 0xbbn << 248n, 0n, 0n])
  })

  test('BLOCKHASH reaches back 256 blocks', () => {
    const of = (number: bigint) => returned({ code: code(number, 'BLOCKHASH', ...returnTop) })
    expect([of(1_000_000n), of(999_999n), of(999_744n), of(999_743n)]).toEqual([0n, 999_999n, 999_744n, 0n])
  })

  test('BLOBHASH of a blob that is not there is zero', () => {
    const of = (index: bigint) => returned({ code: code(index, 'BLOBHASH', ...returnTop) })
    expect([of(0n), of(1n), of(max)]).toEqual([0xb10bn, 0n, 0n])
  })
})

describe('code and its end', () => {
  test('a PUSH cut off by the end of the code pushes zeros for what is missing', () => {
    const tops: bigint[] = []
    const observer = { before: new Map([[0x00, (frame: FrameView) => void tops.push(frame.peek(0))]]) }
    run({ code: Uint8Array.of(0x61, 0xab), observer })
    expect(tops).toEqual([0xab00n])
  })

  test('a jump lands on a JUMPDEST only, and not on one inside a PUSH', () => {
    const jump = (target: number) => run({ code: code(target, 'JUMP', 0x5b, 'JUMPDEST') }).outcome
    expect(jump(3)).toEqual({ kind: 'halted', reason: 'invalid-jump' })
    expect(jump(4)).toEqual({ kind: 'halted', reason: 'invalid-jump' })
    expect(jump(5)).toMatchObject({ kind: 'returned' })
  })

  test('no opcode and no name is in the table twice', () => {
    expect(new Set(operations.map(({ opcode }) => opcode)).size).toBe(operations.length)
    expect(new Set(operations.map(({ name }) => name)).size).toBe(operations.length)
  })
})

describe('the stack', () => {
  test('holds 1,024 items', () => {
    const items = (count: number) => run({ code: code(...Array<number>(count).fill(1)) }).outcome
    expect(items(1024)).toMatchObject({ kind: 'returned' })
    expect(items(1025)).toEqual({ kind: 'halted', reason: 'stack-overflow' })
  })

  test('DUP needs room, SWAP does not', () => {
    const full = (last: string) => run({ code: code(...Array<number>(1024).fill(1), last) }).outcome
    expect(full('DUP16')).toEqual({ kind: 'halted', reason: 'stack-overflow' })
    expect(full('SWAP16')).toMatchObject({ kind: 'returned' })
  })

  test.each(operations.filter(({ pops }) => pops > 0).map(({ name, pops }) => [name, pops] as const))(
    '%s needs %d items',
    (name, pops) => {
      const { outcome } = run({ hardfork: 'osaka', code: code(...Array<number>(pops - 1).fill(0), name) })
      expect(outcome).toEqual({ kind: 'halted', reason: 'stack-underflow' })
    },
  )
})
