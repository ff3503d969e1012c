import { expect, test } from 'bun:test'
import { type Address, type Hex, numberToHex, pad, parseEther } from 'viem'
import { accountOf, type BundleReceipt } from '../../../src/bundler/submitter/account.ts'
import { userOperationEventTopic } from '../../../src/chain/events.ts'
import { entryPoints } from '../../../src/types/entrypoint.ts'
import type { RawLog } from '../../../src/types/ports/store.ts'
import { hash } from './builders.ts'

const entryPoint = entryPoints['0.7'].address
const transferTopic: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** nonce, success, actualGasCost, actualGasUsed */
const charge = (cost: bigint, address: Address = entryPoint): RawLog => ({
  address,
  topics: [userOperationEventTopic, hash('operation'), hash('sender'), hash('paymaster')],
  data: `0x${[7n, 1n, cost, 55n].map((value) => pad(numberToHex(value)).slice(2)).join('')}`,
  logIndex: '0x0',
})

function receipt(changes: Partial<BundleReceipt> = {}): BundleReceipt {
  return {
    transactionHash: hash('first'),
    blockHash: hash('block'),
    blockNumber: '0x1',
    to: entryPoint,
    status: '0x1',
    gasUsed: '0x64',
    effectiveGasPrice: '0x3',
    logs: [],
    ...changes,
  }
}

test('a bundle earns what its operations are charged, and costs its gas', () => {
  expect(accountOf(receipt({ logs: [charge(250n), charge(10n ** 18n)] }))).toEqual({
    gasUsed: 100n,
    effectiveGasPrice: 3n,
    cost: 300n,
    revenue: 10n ** 18n + 250n,
  })
})

test('on a rollup the data costs too', () => {
  expect(accountOf(receipt({ l1Fee: '0x7' })).cost).toBe(307n)
})

test('what operations send to the beneficiary is no revenue (fault 10)', () => {
  const transfer = { ...charge(0n), topics: [transferTopic], data: pad(numberToHex(parseEther('5'))) }
  expect(accountOf(receipt({ logs: [transfer, charge(250n)] })).revenue).toBe(250n)
})

test('a bundle that an operation carries to another EntryPoint, and a log that looks like one, are no revenue', () => {
  const nested = charge(parseEther('5'), entryPoints['0.6'].address)
  const forged = charge(parseEther('5'), '0x00000000000000000000000000000000000000ff')
  expect(accountOf(receipt({ logs: [nested, forged, charge(250n)] })).revenue).toBe(250n)
})

test('what reverted brought nothing', () => {
  expect(accountOf(receipt({ status: '0x0' }))).toMatchObject({ cost: 300n, revenue: 0n })
})
