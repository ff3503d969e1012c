import { expect, test } from 'bun:test'
import { exchangeRate } from '../../../src/paymaster/tokens/rate.ts'

const price = (usd: bigint) => ({ usd, at: 0 })

test('is what one coin is worth in the smallest units of the token, rounded up', () => {
  expect(exchangeRate(price(300_000_000_000n), price(100_000_000n), 6)).toBe(3_000_000_000n)
  expect(exchangeRate(price(300_000_000_000n), price(100_000_000n), 18)).toBe(3_000n * 10n ** 18n)
  expect(exchangeRate(price(100n), price(300n), 0)).toBe(1n)
  expect(exchangeRate(price(100n), price(300n), 2)).toBe(34n)
  expect(exchangeRate(price(1n), price(10n ** 30n), 0)).toBe(1n)
})

test.each([
  [0n, 1n],
  [1n, 0n],
  [-1n, 1n],
])('prices of %d and %d make none', (native, token) => {
  expect(() => exchangeRate(price(native), price(token), 6)).toThrow('No current price is known')
})
