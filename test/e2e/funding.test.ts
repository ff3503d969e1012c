import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type Address, type Hex, parseEther, parseTransaction } from 'viem'
import type { Funding, OpenBundle } from '../../src/types/ports/submitter.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { deployMulticall } from '../support/multicall.ts'
import { type Bench, fundedKey, nonceOf, order, startBench } from '../support/submitter.ts'

let chain: DevChain
let multicall: Address
const benches: Bench[] = []

beforeAll(async () => {
  chain = await startDevChain()
  multicall = await deployMulticall(chain)
}, 60_000)
beforeEach(() => rpc(chain.url, 'evm_setAutomine', [false]))
afterAll(async () => {
  for (const { submitter } of benches) await submitter.stop()
  await chain?.stop()
})

const terms = { below: parseEther('0.02'), to: parseEther('0.05'), dailyLimit: parseEther('1') }
const nobody: Address = '0x00000000000000000000000000000000000000ff'

type Account = { key: Hex; address: Address }
type Changes = {
  funding?: Partial<Funding>
  multicall?: Address
  journal?: readonly OpenBundle[]
}

/** Relayers with these balances, and an account that fills them up. Without Multicall3, unless a test gives it. */
async function accounts(...balances: readonly bigint[]) {
  const funding = await fundedKey(chain, parseEther('10'))
  const relayers = await Promise.all(balances.map((balance) => fundedKey(chain, balance)))
  return { funding, relayers }
}

async function start(
  { funding, relayers }: { funding: Account; relayers: readonly Account[] },
  changes: Changes = {},
): Promise<Bench> {
  const made = await startBench(
    chain,
    relayers.map(({ key }) => key),
    {
      multicall: changes.multicall ?? nobody,
      journal: changes.journal ?? [],
      funding: { key: funding.key, ...terms, journaled: [], ...changes.funding },
    },
  )
  benches.push(made)
  return made
}

/** What a kill -9 leaves: the journal and nothing else. */
async function crash({ submitter, host }: Bench): Promise<OpenBundle[]> {
  await submitter.stop()
  return [...host.open.values()]
}

const balanceOf = async ({ address }: Account) =>
  BigInt(await rpc<Hex>(chain.url, 'eth_getBalance', [address, 'latest']))
const payments = ({ sent }: Bench) => [...new Set(sent)].map((raw) => parseTransaction(raw))

test('a relayer below the threshold is filled up, once', async () => {
  const all = await accounts(parseEther('0.015'))
  const bench = await start(all)
  await bench.head()
  await bench.mine()
  await bench.mine()
  expect(payments(bench)).toMatchObject([{ value: parseEther('0.035') }])
  expect(await Promise.all(all.relayers.map(balanceOf))).toEqual([terms.to])
  expect(bench.host.relayers).toMatchObject([{ state: 'idle', balance: terms.to }])
  expect(bench.host.funding).toMatchObject({
    ...{ address: all.funding.address, state: 'idle', nextNonce: 1 },
    ...{ spent: parseEther('0.035'), dailyLimit: terms.dailyLimit, shortage: 'none' },
  })
})

test('who has enough gets nothing', async () => {
  const all = await accounts(terms.below)
  const bench = await start(all)
  await bench.head()
  await bench.mine()
  expect(bench.sent).toEqual([])
})

test('a paused relayer goes on when it was filled up', async () => {
  const all = await accounts(0n)
  const [relayer] = all.relayers
  if (relayer === undefined) throw new Error('no relayer')
  const bench = await start(all)
  const submit = () => bench.submitter.submit(order(relayer.address))
  expect(await submit().catch((error) => error.message)).toBe('relayer is not idle: low-balance')
  await bench.head()
  await bench.mine()
  await bench.mine()
  expect((await submit()).transactionHash).toStartWith('0x')
})

test('nothing more is sent while a top-up is under way', async () => {
  const bench = await start(await accounts(0n, 0n))
  await bench.head()
  await bench.head()
  await bench.head()
  expect(payments(bench).length).toBe(1)
})

test('several are filled up by one transaction where there is a Multicall3', async () => {
  const all = await accounts(0n, parseEther('0.01'), terms.to)
  const bench = await start(all, { multicall })
  await bench.head()
  await bench.mine()
  await bench.mine()
  expect(payments(bench)).toMatchObject([{ to: multicall.toLowerCase(), value: parseEther('0.09') }])
  expect(await Promise.all(all.relayers.map(balanceOf))).toEqual([terms.to, terms.to, terms.to])
})

test('and by one transfer after the other, the neediest first, where there is none', async () => {
  const all = await accounts(parseEther('0.01'), 0n)
  const bench = await start(all)
  await bench.head()
  await bench.mine()
  await bench.mine()
  await bench.mine()
  expect(payments(bench)).toMatchObject([{ value: terms.to }, { value: parseEther('0.04') }])
  expect(await Promise.all(all.relayers.map(balanceOf))).toEqual([terms.to, terms.to])
})

test('the limit of a day holds, and a restart does not renew it', async () => {
  const all = await accounts(0n, 0n)
  const dailyLimit = parseEther('0.06')
  const bench = await start(all, { funding: { dailyLimit } })
  await bench.head()
  await bench.mine()
  await bench.mine()
  expect(payments(bench)).toMatchObject([{ value: terms.to }])
  expect(bench.host.funding).toMatchObject({ spent: terms.to, shortage: 'daily-limit' })

  const journal = await crash(bench)
  const journaled = journal.flatMap(({ transactions }) => transactions)
  const again = await start(all, { journal, funding: { dailyLimit, journaled } })
  await again.head()
  await again.mine()
  expect(again.sent).toEqual([])
  expect(again.host.funding).toMatchObject({ spent: terms.to, shortage: 'daily-limit' })
})

test('what the funding account lacks, it does not give', async () => {
  const relayer = await fundedKey(chain, 0n)
  const bench = await start({ funding: await fundedKey(chain, parseEther('0.01')), relayers: [relayer] })
  await bench.head()
  expect(bench.sent).toEqual([])
  expect(bench.host.funding).toMatchObject({ shortage: 'funds' })
})

test('a crash before the sending sends what was signed, nothing else', async () => {
  const all = await accounts(0n)
  const bench = await start(all)
  bench.faults.sending = 'lost'
  await bench.head()
  const journal = await crash(bench)
  expect(journal.length).toBe(1)

  const again = await start(all, { journal })
  await again.head()
  await again.mine()
  await again.mine()
  expect(again.sent[0]).toBe(journal[0]?.transactions[0]?.raw as Hex)
  expect(payments(again).length).toBe(1)
  expect(await nonceOf(chain, all.funding.address)).toBe(1)
  expect(await Promise.all(all.relayers.map(balanceOf))).toEqual([terms.to])
})

test('a crash after the sending, with or without its block, pays nothing twice', async () => {
  for (const isMined of [false, true]) {
    const all = await accounts(0n)
    const bench = await start(all)
    await bench.head()
    const journal = await crash(bench)
    if (isMined) await rpc(chain.url, 'evm_mine')

    const again = await start(all, { journal })
    await again.head()
    await again.mine()
    await again.mine()
    expect(await nonceOf(chain, all.funding.address)).toBe(1)
    expect(await Promise.all(all.relayers.map(balanceOf))).toEqual([terms.to])
  }
})

test('a top-up that a reorg takes out is sent again as it was', async () => {
  const all = await accounts(0n)
  const bench = await start(all)
  await bench.head()
  await bench.mine()
  await bench.reorg(1)
  expect(await Promise.all(all.relayers.map(balanceOf))).toEqual([0n])
  await bench.mine()
  await bench.mine()
  expect(payments(bench).length).toBe(1)
  expect(await nonceOf(chain, all.funding.address)).toBe(1)
  expect(await Promise.all(all.relayers.map(balanceOf))).toEqual([terms.to])
})

test('top-ups are no bundles: nobody hears of them', async () => {
  const bench = await start(await accounts(0n))
  await bench.head()
  await bench.mine()
  await bench.mine()
  expect(bench.host.events).toEqual([])
})

test('the operator sees the account and what it has under way', async () => {
  const { funding, relayers } = await accounts(0n)
  const bench = await start({ funding, relayers })
  await bench.head()
  const report = await bench.submitter.report({ chainId: chain.chainId })
  expect(report).toMatchObject({
    relayers: [{ address: relayers[0]?.address, state: 'low-balance', open: [] }],
    funding: {
      ...{ address: funding.address, state: 'busy', nextNonce: 1, spent: terms.to },
      open: [{ nonce: 0, state: 'pending', versions: [{ kind: 'bundle', delivery: 'accepted' }] }],
    },
  })
})
