import { describe, expect, test } from 'bun:test'
import { bytesOfInteger, bytesOfWord } from '../../../../src/evm/crypto/bytes.ts'
import { modexp } from '../../../../src/evm/precompiles/modexp.ts'

type Operand = { value?: bigint; size: number | bigint }

function call(base: Operand, exponent: Operand, modulus: Operand): Uint8Array {
  const operands = [base, exponent, modulus]
  const lengths = operands.map(({ size }) => bytesOfWord(BigInt(size)))
  const values = operands.flatMap(({ value, size }) =>
    value === undefined ? [] : [bytesOfInteger(value, Number(size))],
  )
  return Uint8Array.from([...lengths, ...values].flatMap((part) => [...part]))
}

const word = (value: bigint): Operand => ({ value, size: 32 })
const { eip2565, eip7883 } = modexp

describe('modexp', () => {
  test('agrees with repeated multiplication for every small operand', () => {
    for (const exponent of [0n, 1n, 2n, 3n, 5n, 16n, 255n, 65_537n, 0x1234_5678_9abcn]) {
      for (const modulus of [1n, 2n, 7n, 8n, 255n, 2n ** 200n - 3n]) {
        for (const base of [0n, 1n, 2n, 6n, 2n ** 255n - 1n]) {
          const output = eip2565.run(call(word(base), word(exponent), word(modulus)))
          expect(output).toEqual(bytesOfWord(slowPower(base, exponent, modulus)))
        }
      }
    }
  })

  test('a modulus of zero gives zeros, one of no length gives nothing', () => {
    expect(eip2565.run(call(word(3n), word(5n), { value: 0n, size: 5 }))).toEqual(new Uint8Array(5))
    expect(eip2565.run(call(word(3n), word(5n), { size: 0 }))).toEqual(new Uint8Array(0))
  })

  test('lengths that no memory holds cost nothing where nothing is multiplied, and everything elsewhere', () => {
    const huge = 2n ** 256n - 1n
    const nothing = call({ size: 0 }, { size: huge }, { size: 0 })
    expect([eip2565.gas(nothing), eip2565.run(nothing)]).toEqual([200, new Uint8Array(0)])
    expect(eip2565.gas(call({ size: huge }, { size: 0 }, { size: 0 }))).toBeGreaterThan(1e150)
    expect(eip2565.gas(call({ size: 1 }, { size: huge }, { size: 1 }))).toBeGreaterThan(1e70)
  })

  test('EIP-7823: 1024 bytes are the most of each operand', () => {
    const none = { size: 0 }
    const calls = [1024, 1025].flatMap((size) => [
      call({ size }, none, none),
      call(none, { size }, none),
      call(none, none, { size }),
    ])
    expect(calls.map((input) => [eip7883.gas(input), eip7883.run(input)?.length])).toEqual([
      [32_768, 0],
      [16 * 16 * 992, 0],
      [32_768, 1024],
      [33_282, undefined],
      [16 * 16 * 993, undefined],
      [33_282, undefined],
    ])
  })
})

function slowPower(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n % modulus
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus
    if (bit === '1') result = (result * base) % modulus
  }
  return result
}
