import { expect, test } from 'bun:test'
import { identity } from '../../../../src/evm/precompiles/identity.ts'
import { ripemd160 } from '../../../../src/evm/precompiles/ripemd160.ts'
import { sha256 } from '../../../../src/evm/precompiles/sha256.ts'

const abc = new TextEncoder().encode('abc')
const ninetySeven = new Uint8Array(97)

test('SHA-256 as FIPS 180-2 has it, at 60 gas and 12 a word', () => {
  expect(sha256.run(abc)?.toHex()).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  expect([sha256.gas(new Uint8Array(0)), sha256.gas(abc), sha256.gas(ninetySeven)]).toEqual([60, 72, 108])
})

test('RIPEMD-160 as its authors have it, filled up to a word, at 600 gas and 120 a word', () => {
  const digest = '8eb208f7e05d987a9b044a8e98c6b087f15a0bfc'
  expect(ripemd160.run(abc)?.toHex()).toBe(`${'00'.repeat(12)}${digest}`)
  expect([ripemd160.gas(new Uint8Array(0)), ripemd160.gas(ninetySeven)]).toEqual([600, 1080])
})

test('identity answers a copy, at 15 gas and 3 a word', () => {
  const input = abc.slice()
  const output = identity.run(input)
  input.fill(0)
  expect(output).toEqual(abc)
  expect([identity.gas(abc), identity.gas(ninetySeven)]).toEqual([18, 27])
})
