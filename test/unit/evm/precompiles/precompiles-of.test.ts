import { expect, test } from 'bun:test'
import { loadCrypto } from '../../../../src/evm/crypto/crypto.ts'
import type { Hardfork } from '../../../../src/evm/hardfork.ts'
import { precompilesOf } from '../../../../src/evm/precompiles/precompiles-of.ts'

const crypto = await loadCrypto()
const empty = new Uint8Array(0)

function addresses(hardfork: Hardfork, p256 = false): number[] {
  return [...precompilesOf({ hardfork, p256 }, crypto).keys()].map(Number)
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

test('each hardfork adds its precompiles', () => {
  expect(addresses('shanghai')).toEqual(upTo(0x09))
  expect(addresses('cancun')).toEqual(upTo(0x0a))
  expect(addresses('prague')).toEqual(upTo(0x11))
  expect(addresses('osaka')).toEqual([...upTo(0x11), 0x100])
})

test('a rollup has P256VERIFY before Osaka, at its own price', () => {
  expect(addresses('cancun', true)).toEqual([...upTo(0x0a), 0x100])
  const gasIn = (hardfork: Hardfork) =>
    precompilesOf({ hardfork, p256: true }, crypto).get(0x100n)?.gas(empty)
  expect([gasIn('cancun'), gasIn('prague'), gasIn('osaka')]).toEqual([3450, 3450, 6900])
})

test('Osaka prices modexp anew', () => {
  const gasIn = (hardfork: Hardfork) => precompilesOf({ hardfork }, crypto).get(0x05n)?.gas(empty)
  expect([gasIn('prague'), gasIn('osaka')]).toEqual([200, 500])
})
