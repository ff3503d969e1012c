import { expect, test } from 'bun:test'
import { Unavailable } from '../../../../src/base/errors.ts'
import type { ExplorerClient } from '../../../../src/chain/explorer/client.ts'
import { createExplorerFees } from '../../../../src/chain/explorer/fees.ts'
import type { FeeQuote } from '../../../../src/types/block.ts'

const gwei = 1_000_000_000n
const quote: FeeQuote = {
  ...{ baseFee: 10n * gwei, maxFeePerGas: 21n * gwei, maxPriorityFeePerGas: gwei },
  legacy: false,
}
const raised: FeeQuote = { ...quote, maxFeePerGas: 22n * gwei, maxPriorityFeePerGas: 2n * gwei }
const proposal = { ProposeGasPrice: '12', suggestBaseFee: '10' }

/** An oracle at a time that the test sets, over an explorer that answers what the test says. */
function feesOf(answer: () => ReturnType<ExplorerClient['ask']>) {
  const clock = { now: 0, asked: 0 }
  const explorer: ExplorerClient = {
    ask() {
      clock.asked += 1
      return answer()
    },
    close: () => {},
  }
  const fees = createExplorerFees({ now: () => clock.now }, { fees: { quote: async () => quote }, explorer })
  return { fees, clock }
}

test('what the explorer proposes raises the next quote', async () => {
  const { fees } = feesOf(async () => proposal)
  await fees.quote()
  expect(await fees.quote()).toEqual(raised)
})

test('a late explorer is not waited for', async () => {
  const { promise, resolve } = Promise.withResolvers<typeof proposal>()
  const { fees } = feesOf(() => promise)
  expect(await fees.quote()).toEqual(quote)
  resolve(proposal)
  await promise
  expect(await fees.quote()).toEqual(raised)
})

test('without the explorer the node decides', async () => {
  const { fees } = feesOf(async () => {
    throw new Unavailable('down')
  })
  await fees.quote()
  expect(await fees.quote()).toEqual(quote)
})

test('an answer that cannot be read changes nothing', async () => {
  const { fees } = feesOf(async () => ({ ProposeGasPrice: 'soon' }))
  await fees.quote()
  expect(await fees.quote()).toEqual(quote)
})

test('it is asked every ten seconds, not with every quote', async () => {
  const { fees, clock } = feesOf(async () => proposal)
  for (clock.now = 0; clock.now < 30_000; clock.now += 1000) await fees.quote()
  expect(clock.asked).toBe(3)
})

test('what it said a minute ago counts no more', async () => {
  let up = true
  const { fees, clock } = feesOf(async () => {
    if (up) return proposal
    throw new Unavailable('down')
  })
  await fees.quote()
  up = false
  clock.now = 60_000
  expect(await fees.quote()).toEqual(raised)
  clock.now = 60_001
  expect(await fees.quote()).toEqual(quote)
})
