import { expect, test } from 'bun:test'
import {
  bytesToHex,
  type Hex,
  parseTransaction,
  type TransactionSerialized,
  type TransactionSerializedEIP7702,
} from 'viem'
import { createNoise } from '../../../../src/gas/data-fee/noise.ts'
import { bundleTransaction } from '../../../../src/gas/data-fee/transaction.ts'
import { address } from '../../../support/builders.ts'
import { random } from '../../../support/random.ts'

const source = random(3)
const word = (): Hex => source.bytes(32)

test.each([0, 1, 55, 56, 255, 256, 70_000])('what it makes of %d bytes of data is a transaction', (size) => {
  const data = source.bytes(size)
  const transaction = bundleTransaction({ chainId: 10, to: address(7), data, authorizations: [] }, lowTip())
  const parsed = parseTransaction(bytesToHex(transaction) as TransactionSerialized)
  expect(parsed).toMatchObject({
    ...{ type: 'eip1559', chainId: 10, to: address(7) },
    ...(size === 0 ? {} : { data }),
  })
})

test('the authorizations of its operations are there, with signatures to come', () => {
  const named = [
    { chainId: 10, nonce: 0, address: address(1) },
    { chainId: 0, nonce: 300, address: address(2) },
  ]
  const authorizations = named.map((each) => ({ ...each, r: word(), s: word(), yParity: 0 }))
  const bundle = { chainId: 8453, to: address(7), data: '0x12' as const, authorizations }
  const parsed = parseTransaction(
    bytesToHex(bundleTransaction(bundle, lowTip())) as TransactionSerializedEIP7702,
  )
  expect(parsed).toMatchObject({ type: 'eip7702', chainId: 8453 })
  expect(
    (parsed.authorizationList ?? []).map(({ chainId, nonce, address: delegate }) => ({
      ...{ chainId, nonce, address: delegate },
    })),
  ).toEqual(named)
})

/** Noise whose second number of five bytes, the maximum fee, is not below the first, the tip: else it does not parse. */
function lowTip() {
  const noise = createNoise()
  let fees = 0
  return (bytes: number): Hex => {
    const taken = noise(bytes)
    if (bytes !== 5) return taken
    fees += 1
    return fees === 1 ? `0x01${taken.slice(4)}` : `0xff${taken.slice(4)}`
  }
}
