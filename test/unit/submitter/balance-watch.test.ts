import { expect, test } from 'bun:test'
import type { Address } from 'viem'
import { createBalanceWatch } from '../../../src/bundler/submitter/balance-watch.ts'
import { newLine } from '../../../src/bundler/submitter/line.ts'
import { address, hash } from '../../support/builders.ts'
import type { DevChain } from '../../support/devChain.ts'
import { chainSettings } from '../../support/submitter.ts'

const [first, second] = [address(1), address(2)]

/** Two relayers with 100 wei each who must have 10, and a clock. */
function start(changes: { funding?: { below: bigint } } = {}) {
  const asked: Address[][] = []
  const truth = new Map<Address, bigint | undefined>([
    [first, 100n],
    [second, 100n],
  ])
  const lines = new Map([first, second].map((each) => [each, newLine(each, undefined)]))
  for (const line of lines.values()) Object.assign(line, { balance: 100n, balanceIsStale: false })
  const clock = { now: 0 }
  const funding = changes.funding && {
    ...{ key: '0x' as const, to: 1000n, dailyLimit: 1000n, journaled: [], ...changes.funding },
  }
  const chain = chainSettings({ url: '', chainId: 1 } as DevChain, [], { minSignerBalance: 10n, funding })
  const watch = createBalanceWatch(
    { chain, lines, view: { head: { number: 1, hash: hash(1) }, removed: [] } },
    {
      balances: {
        async read(holdings) {
          asked.push(holdings.map(({ account }) => account))
          return holdings.map(({ account }) => truth.get(account))
        },
        hasMulticall: async () => true,
      },
      now: () => clock.now,
    },
  )
  const balances = () => [...lines.values()].map(({ balance }) => balance)
  return { watch, lines, truth, clock, asked, balances }
}

test('a balance that nothing changed is read every ten seconds: somebody may have taken it', async () => {
  const { watch, truth, clock, asked, balances } = start()
  truth.set(first, 1n)
  clock.now = 9_999
  await watch.look()
  expect(balances()).toEqual([100n, 100n])
  clock.now = 10_000
  await watch.look()
  expect(balances()).toEqual([1n, 100n])
  expect(asked.flat()).toEqual([first, second])
})

test('one that a transaction changed, and one that is low, is read at each head', async () => {
  const { watch, lines, truth, asked, balances } = start()
  Object.assign(lines.get(first) ?? {}, { balanceIsStale: true })
  truth.set(first, 9n)
  await watch.look()
  truth.set(first, 50n)
  await watch.look()
  await watch.look()
  expect(asked.flat()).toEqual([first, first])
  expect(balances()).toEqual([50n, 100n])
})

test('so is one that is to be topped up', async () => {
  const { watch, asked } = start({ funding: { below: 101n } })
  await watch.look()
  expect(asked).toEqual([[first, second]])
})

test('what nobody can tell stays as it was', async () => {
  const { watch, truth, clock, balances } = start()
  truth.set(first, undefined)
  clock.now = 10_000
  await watch.look()
  expect(balances()).toEqual([100n, 100n])
})
