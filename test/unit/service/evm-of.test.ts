import { expect, test } from 'bun:test'
import { evmOf } from '../../../src/service/evm-of.ts'

/** Shows Osaka, P256VERIFY with it; or refuses, with an answer that has nothing in it. */
const osaka = { requestAt: <Result>() => Promise.resolve(`0x${'01010101'.padEnd(64, '0')}` as Result) }
const silent = { requestAt: <Result>() => Promise.resolve('0x' as Result) }

test('the rules of an EVM are as a node shows them', async () => {
  const unset = { hardfork: undefined, p256Verify: undefined }
  expect(await evmOf(unset, osaka)).toEqual({ hardfork: 'osaka', p256Verify: true })
})

test('what is set goes first', async () => {
  expect(await evmOf({ hardfork: 'cancun', p256Verify: undefined }, osaka)).toEqual({
    hardfork: 'cancun',
    p256Verify: true,
  })
  expect(await evmOf({ hardfork: undefined, p256Verify: false }, osaka)).toEqual({
    hardfork: 'osaka',
    p256Verify: false,
  })
})

test('where a node does not show them they are those that most chains have', async () => {
  expect(await evmOf({ hardfork: undefined, p256Verify: undefined }, silent)).toEqual({
    hardfork: 'prague',
    p256Verify: false,
  })
})
