import { afterAll, beforeAll, beforeEach, expect, spyOn, test } from 'bun:test'
import { type Address, type Hash, type Hex, keccak256, parseGwei, parseTransaction } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createLog } from '../../src/base/log.ts'
import { startSubmitterThread } from '../../src/bundler/submitter/thread.ts'
import type { BundleEvent, JournaledTransaction, OpenBundle } from '../../src/types/ports/submitter.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import {
  type Bench,
  blockAt,
  calls,
  chainSettings,
  ether,
  fees,
  fundedKey,
  nonceOf,
  order,
  placeOf,
  recordHost,
  startBench,
} from '../support/submitter.ts'

let chain: DevChain
const benches: Bench[] = []

beforeAll(async () => {
  chain = await startDevChain()
})
beforeEach(async () => {
  await rpc(chain.url, 'evm_setAutomine', [false])
  await nextBaseFee('1')
})
afterAll(async () => {
  for (const { submitter } of benches) await submitter.stop()
  await chain.stop()
})

async function bench(
  ...given: Parameters<typeof startBench> extends [DevChain, ...infer Rest] ? Rest : never
) {
  const made = await startBench(chain, ...given)
  benches.push(made)
  return made
}

async function oneRelayer(changes?: Parameters<typeof startBench>[2]) {
  const relayer = await fundedKey(chain)
  return { relayer, ...(await bench([relayer.key], changes)) }
}

/** What a crash leaves: the journal and nothing else. */
async function crash({ submitter, host }: Bench): Promise<OpenBundle[]> {
  await submitter.stop()
  return [...host.open.values()]
}

function eventsOf({ host }: Pick<Bench, 'host'>, bundleId: string): BundleEvent['kind'][] {
  return host.events.filter((event) => event.bundleId === bundleId).map(({ kind }) => kind)
}

/** A transaction without its fees and signature. */
function contentOf({ raw }: JournaledTransaction) {
  const { type, chainId, nonce, to, data, gas, value } = parseTransaction(raw)
  return { type, chainId, nonce, to, data, gas, value }
}

async function sendForeign(key: Hex, nonce: number): Promise<Hash> {
  const account = privateKeyToAccount(key)
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId: chain.chainId,
    nonce,
    to: account.address,
    gas: 21_000n,
    maxFeePerGas: parseGwei('5'),
    maxPriorityFeePerGas: parseGwei('2'),
  })
  return rpc(chain.url, 'eth_sendRawTransaction', [raw])
}

async function nextBaseFee(gwei: string): Promise<void> {
  await rpc(chain.url, 'anvil_setNextBlockBaseFeePerGas', [`0x${parseGwei(gwei).toString(16)}`])
}

/** A block that passes over our transaction, as those of a busy chain do. */
async function mineWithout(hash: Hash): Promise<void> {
  await rpc(chain.url, 'anvil_dropTransaction', [hash])
  await rpc(chain.url, 'evm_mine')
}

function versionsOf({ host }: Pick<Bench, 'host'>, bundleId: string): readonly JournaledTransaction[] {
  return host.open.get(bundleId)?.transactions ?? []
}

test('a bundle is journaled, sent, mined, and final at the reorg depth', async () => {
  const { relayer, submitter, host, mine, kinds } = await oneRelayer()
  const sent = order(relayer.address)
  const { transactionHash } = await submitter.submit(sent)
  expect(host.open.get(sent.bundleId)?.transactions.map(({ hash }) => hash)).toEqual([transactionHash])
  expect(host.events).toEqual([
    {
      chainId: 31337,
      bundleId: sent.bundleId,
      operations: sent.operations,
      kind: 'submitted',
      transactionHash,
    },
  ])
  expect(host.relayers).toEqual([{ address: relayer.address, state: 'busy', balance: ether, nextNonce: 1 }])

  await mine()
  expect(kinds()).toEqual(['submitted', 'mined'])
  expect(host.relayers[0]).toMatchObject({ state: 'idle', nextNonce: 1 })
  expect(host.relayers[0]?.balance).toBeLessThan(ether)

  for (let block = 0; block < 4; block++) await mine()
  expect(kinds()).toEqual(['submitted', 'mined', 'finalized'])
  expect(host.open.size).toBe(0)
})

test('nothing is sent that was not journaled; its operations are free and its nonce is used again', async () => {
  const { relayer, submitter, host, sent, mine, kinds } = await oneRelayer()
  host.refusing = true
  await expect(submitter.submit(order(relayer.address))).rejects.toThrow('Internal error')
  expect(sent).toEqual([])
  expect(kinds()).toEqual(['abandoned'])
  expect(host.relayers).toEqual([{ address: relayer.address, state: 'idle', balance: ether, nextNonce: 0 }])

  host.refusing = false
  await submitter.submit(order(relayer.address))
  await mine()
  expect(kinds()).toEqual(['abandoned', 'submitted', 'mined'])
})

test('a relayer with a bundle in flight takes no other', async () => {
  const { relayer, submitter, host } = await oneRelayer()
  const [taken, refused] = [order(relayer.address), order(relayer.address)]
  const [first, second] = await Promise.allSettled([submitter.submit(taken), submitter.submit(refused)])
  expect(first.status).toBe('fulfilled')
  expect(second).toMatchObject({ status: 'rejected', reason: { code: -32005, data: { state: 'busy' } } })
  expect([...host.open.keys()]).toEqual([taken.bundleId])
  // For a caller that gave up waiting for the answer.
  const { chainId, bundleId, operations } = refused
  expect(host.events.at(-1)).toEqual({
    ...{ chainId, bundleId, operations },
    ...{ kind: 'abandoned', reason: 'relayer is not idle: busy' },
  })
})

test('while the node is down a bundle is kept, and sent when it is back', async () => {
  const { relayer, submitter, faults, sent, head, mine, kinds } = await oneRelayer()
  faults.sending = 'lost'
  const { transactionHash } = await submitter.submit(order(relayer.address))
  await head()
  expect(kinds()).toEqual(['submitted'])
  expect(sent).toEqual([])

  faults.sending = 'none'
  await head()
  expect(await placeOf(chain, transactionHash)).toBe('pool')
  await mine()
  expect(kinds()).toEqual(['submitted', 'mined'])
  expect(await nonceOf(chain, relayer.address)).toBe(1)
})

test('a node that could not tell is asked again without waiting for a head', async () => {
  const { relayer, submitter, host, faults } = await oneRelayer()
  await rpc(chain.url, 'evm_setAutomine', [true])
  faults.sending = 'answer-lost'
  const { transactionHash } = await submitter.submit(order(relayer.address))
  faults.sending = 'none'
  // Asked again, the node says "nonce too low": by our own transaction.
  expect(await host.told('mined')).toMatchObject({ transactionHash, reverted: false })
})

test('a node that is down for longer is asked again, less and less often', async () => {
  const { relayer, submitter, host, faults } = await oneRelayer()
  await rpc(chain.url, 'evm_setAutomine', [true])
  const wait = globalThis.setTimeout
  const hurried = spyOn(globalThis, 'setTimeout').mockImplementation(((task: () => void, ms: number) => {
    if (ms === 8000) faults.sending = 'answer-lost'
    if (ms === 16_000) faults.sending = 'none'
    return wait(task, [1000, 2000, 4000, 8000, 16_000].includes(ms) ? 1 : ms)
  }) as typeof setTimeout)
  faults.sending = 'lost'
  await submitter.submit(order(relayer.address))
  // As above: the last time the node says that the nonce is used.
  await host.told('mined')
  hurried.mockRestore()
})

test('a block that comes while a bundle is being sent is looked at when it is sent', async () => {
  const { relayer, submitter, host, mine } = await oneRelayer()
  const { bundleEvent } = host
  host.bundleEvent = async (event) => {
    await bundleEvent(event)
    if (event.kind === 'submitted') await mine()
  }
  await submitter.submit(order(relayer.address))
  await host.told('mined')
})

test('a head at which no node could tell is followed again without waiting for another', async () => {
  const { relayer, submitter, host, faults, mine } = await oneRelayer()
  await submitter.submit(order(relayer.address))
  faults.receipts = 1
  await mine()
  await host.told('mined')
})

test('a stuck transaction is replaced with the same nonce, operations and data, and higher fees', async () => {
  const { relayer, submitter, host, head, mine, kinds } = await oneRelayer()
  const stuck = order(relayer.address)
  const { transactionHash } = await submitter.submit(stuck)
  await mineWithout(transactionHash)
  await head()
  expect(kinds()).toEqual(['submitted'])
  await mineWithout(transactionHash)
  await head({ fees: { ...fees, maxFeePerGas: parseGwei('200') } })
  expect(kinds()).toEqual(['submitted', 'submitted'])

  const [first, second] = versionsOf({ host }, stuck.bundleId)
  if (first === undefined || second === undefined) throw new Error('two versions were journaled')
  expect(contentOf(second)).toEqual(contentOf(first))
  expect(second).toMatchObject({
    nonce: first.nonce,
    maxFeePerGas: parseGwei('200'),
    maxPriorityFeePerGas: (first.maxPriorityFeePerGas * 9n) / 8n,
  })

  await mine()
  expect(host.events.at(-1)).toMatchObject({
    kind: 'mined',
    transactionHash: second.hash,
    operations: stuck.operations,
  })
  expect(await nonceOf(chain, relayer.address)).toBe(1)
})

test('a transaction that the base fee left behind is replaced at once, at the price of the market', async () => {
  const { relayer, submitter, host, head, mine, kinds } = await oneRelayer({ replaceAfterBlocks: 100 })
  const dear = { ...fees, maxFeePerGas: parseGwei('150') }
  await submitter.submit(order(relayer.address))
  await nextBaseFee('100')
  await rpc(chain.url, 'evm_mine')
  await head({ fees: dear })
  await head({ fees: dear })
  await mine()
  expect(kinds()).toEqual(['submitted', 'submitted', 'mined'])
  expect(host.relayers[0]?.state).toBe('idle')
})

test('at the ceiling the last version is kept and sent again', async () => {
  const { relayer, submitter, sent, head, mine, kinds } = await oneRelayer({ maxFeeCeiling: parseGwei('3') })
  const { transactionHash } = await submitter.submit(order(relayer.address))
  for (let block = 0; block < 4; block++) {
    await mineWithout(transactionHash)
    await head()
  }
  expect(kinds()).toEqual(['submitted', 'held'])
  expect(sent.length).toBe(5)
  expect(new Set(sent).size).toBe(1)
  await mine()
  expect(kinds()).toEqual(['submitted', 'held', 'mined'])
})

test('an older version that is mined after all settles the bundle', async () => {
  const { relayer, submitter, host, faults, head, mine, kinds } = await oneRelayer()
  const bundle = order(relayer.address)
  const { transactionHash } = await submitter.submit(bundle)
  faults.sending = 'lost'
  for (let block = 0; block < 2; block++) {
    await mineWithout(transactionHash)
    await head()
  }
  expect(kinds()).toEqual(['submitted', 'submitted'])
  await rpc(chain.url, 'eth_sendRawTransaction', [versionsOf({ host }, bundle.bundleId)[0]?.raw])
  await mine()
  expect(host.events.at(-1)).toMatchObject({ kind: 'mined', transactionHash })
  expect(host.relayers[0]).toMatchObject({ state: 'idle', nextNonce: 1 })
})

test('a nonce that a stranger used abandons the bundle after two heads, and the line goes on', async () => {
  const { relayer, submitter, host, mine, kinds } = await oneRelayer()
  await sendForeign(relayer.key, 0)
  await rpc(chain.url, 'evm_mine')
  const first = order(relayer.address)
  await submitter.submit(first)
  expect(host.relayers[0]?.state).toBe('busy')
  await mine()
  expect(kinds()).toEqual(['submitted', 'abandoned'])
  expect(host.open.has(first.bundleId)).toBe(false)
  expect(host.relayers[0]).toMatchObject({ state: 'idle', nextNonce: 1 })

  await submitter.submit(order(relayer.address))
  await mine()
  expect(kinds()).toEqual(['submitted', 'abandoned', 'submitted', 'mined'])
})

test.each([1, 3])('a reorg of depth %p takes a bundle out, and it is mined again once', async (depth) => {
  const { relayer, submitter, host, mine, reorg, kinds } = await oneRelayer()
  const { transactionHash } = await submitter.submit(order(relayer.address))
  for (let block = 0; block < depth; block++) await mine()
  await reorg(depth)
  expect(kinds()).toEqual(['submitted', 'mined', 'unmined'])
  expect(host.relayers[0]).toMatchObject({ state: 'busy', nextNonce: 1 })
  expect(await placeOf(chain, transactionHash)).toBe('pool')

  for (let block = 0; block < 6; block++) await mine()
  expect(kinds()).toEqual(['submitted', 'mined', 'unmined', 'mined', 'finalized'])
  expect(await nonceOf(chain, relayer.address)).toBe(1)
})

test('a reorg takes out later nonces of the relayer too, and they are mined again in order', async () => {
  const { relayer, submitter, mine, reorg, kinds, host } = await oneRelayer()
  const bundles = [order(relayer.address), order(relayer.address)]
  for (const each of bundles) {
    await submitter.submit(each)
    await mine()
  }
  await reorg(2)
  expect(kinds().slice(-2)).toEqual(['unmined', 'unmined'])
  await mine()
  for (const { bundleId } of bundles) {
    expect(eventsOf({ host }, bundleId)).toEqual(['submitted', 'mined', 'unmined', 'mined'])
  }
  expect(await nonceOf(chain, relayer.address)).toBe(2)
})

test('a reorg that leaves the bundle in its block changes nothing', async () => {
  const { relayer, submitter, mine, reorg, kinds } = await oneRelayer()
  await submitter.submit(order(relayer.address))
  await mine()
  await mine()
  await reorg(1)
  expect(kinds()).toEqual(['submitted', 'mined'])
})

test('a bundle that a reorg moved to another block is told as mined there', async () => {
  const { relayer, submitter, host, mine, head, kinds } = await oneRelayer()
  const { transactionHash } = await submitter.submit(order(relayer.address))
  await mine()
  const mined = await host.told('mined')
  await rpc(chain.url, 'anvil_reorg', [1, []])
  const raw = host.open.values().next().value?.transactions[0]?.raw
  await rpc(chain.url, 'eth_sendRawTransaction', [raw])
  await rpc(chain.url, 'evm_mine')
  await head({ removed: [mined.block] })
  expect(kinds()).toEqual(['submitted', 'mined', 'mined'])
  expect(host.events.at(-1)).toMatchObject({
    transactionHash,
    block: { number: mined.block.number + 1 },
  })
})

test('a reverted bundle is mined as reverted and holds its relayer no longer', async () => {
  const { relayer, submitter, host, mine } = await oneRelayer()
  const reverting = order(relayer.address, { data: calls.reverts })
  await submitter.submit(reverting)
  await mine()
  expect(host.events.at(-1)).toMatchObject({
    kind: 'mined',
    reverted: true,
    operations: reverting.operations,
  })
  expect(host.relayers[0]?.state).toBe('idle')
})

test('a reverted bundle that a reorg takes out is cancelled: its operations are free', async () => {
  const { relayer, submitter, host, mine, reorg } = await oneRelayer()
  const { transactionHash } = await submitter.submit(order(relayer.address, { data: calls.reverts }))
  await mine()
  await reorg(1)
  await mine()
  expect(await placeOf(chain, transactionHash)).toBe('nowhere')
  expect(await nonceOf(chain, relayer.address)).toBe(1)
  expect(host.events.at(-1)).toMatchObject({ kind: 'mined', reverted: false, operations: [] })
})

test('relayers work in parallel', async () => {
  const [a, b] = [await fundedKey(chain), await fundedKey(chain)]
  const { submitter, host, mine } = await bench([a.key, b.key])
  await Promise.all([submitter.submit(order(a.address)), submitter.submit(order(b.address))])
  expect(host.relayers.map(({ state }) => state)).toEqual(['busy', 'busy'])
  await mine()
  const mined = host.events.filter((event) => event.kind === 'mined')
  expect(mined).toHaveLength(2)
  expect(new Set(mined.map(({ block }) => block.hash)).size).toBe(1)
})

test('a relayer below the least balance is not used until it is topped up', async () => {
  const poor = await fundedKey(chain, ether / 1000n)
  const { submitter, host, mine } = await bench([poor.key])
  expect(host.relayers[0]?.state).toBe('low-balance')
  await expect(submitter.submit(order(poor.address))).rejects.toMatchObject({
    data: { state: 'low-balance' },
  })
  await rpc(chain.url, 'anvil_setBalance', [poor.address, `0x${ether.toString(16)}`])
  await mine()
  expect(host.relayers[0]).toMatchObject({ state: 'idle', balance: ether })
})

test('a bundle that its relayer cannot pay is abandoned; the nonce is used again after a top-up', async () => {
  const { relayer, submitter, host, mine, kinds } = await oneRelayer()
  const dear = order(relayer.address, {
    gasLimit: 10_000_000n,
    fees: { ...fees, maxFeePerGas: ether / 1000n },
  })
  await expect(submitter.submit(dear)).rejects.toThrow('Internal error')
  expect(kinds()).toEqual(['abandoned'])
  expect(host.open.size).toBe(0)
  expect(host.relayers[0]).toMatchObject({ state: 'low-balance', nextNonce: 0 })

  await rpc(chain.url, 'anvil_setBalance', [relayer.address, `0x${(2n * ether).toString(16)}`])
  await mine()
  expect(host.relayers[0]?.state).toBe('idle')
  await submitter.submit(order(relayer.address))
  await mine()
  expect(kinds()).toEqual(['abandoned', 'submitted', 'mined'])
})

test('a bundle that can never be mined is abandoned and its relayer goes on', async () => {
  const { relayer, submitter, host, kinds } = await oneRelayer()
  await expect(submitter.submit(order(relayer.address, { gasLimit: 20_000n }))).rejects.toThrow(
    'Internal error',
  )
  expect(kinds()).toEqual(['abandoned'])
  expect(host.relayers[0]).toMatchObject({ state: 'idle', nextNonce: 0 })
})

test('operations of a refused bundle are free only once the journal has forgotten it', async () => {
  const { relayer, submitter, host, kinds } = await oneRelayer()
  host.settleFailures = 1
  const refused = submitter.submit(order(relayer.address, { gasLimit: 20_000n }))
  await expect(refused).rejects.toThrow('Internal error')
  expect(host.settleFailures).toBe(0)
  expect(host.open.size).toBe(0)
  expect(kinds()).toEqual(['abandoned'])
})

test('a final bundle that the journal cannot forget yet is forgotten at a later head', async () => {
  const { relayer, submitter, host, mine, kinds } = await oneRelayer({ reorgDepth: 1 })
  await submitter.submit(order(relayer.address))
  await mine()
  host.settleFailures = 2
  await mine()
  expect(kinds()).toEqual(['submitted', 'mined'])
  expect(host.relayers[0]?.state).toBe('idle')
  await mine()
  await mine()
  expect(kinds()).toEqual(['submitted', 'mined', 'finalized'])
})

test('authorizations travel in a type-4 transaction, one for each sender', async () => {
  const { relayer, submitter, host, mine } = await oneRelayer()
  const sender = privateKeyToAccount(generatePrivateKey())
  const authorization = await sender.signAuthorization({
    chainId: chain.chainId,
    nonce: 0,
    address: chain.simple7702Account,
  })
  const bundle = order(relayer.address, { authorizations: [authorization, { ...authorization }] })
  await submitter.submit(bundle)
  const raw = host.open.get(bundle.bundleId)?.transactions[0]?.raw as `0x04${string}`
  expect(parseTransaction(raw).authorizationList).toHaveLength(1)
  await mine()
  expect(await rpc<Hex>(chain.url, 'eth_getCode', [sender.address, 'latest'])).toBe(
    `0xef0100${chain.simple7702Account.slice(2).toLowerCase()}` as Hex,
  )
})

test('a chain without EIP-1559 gets legacy transactions, and legacy replacements', async () => {
  const { relayer, submitter, host, head, mine } = await oneRelayer({ replaceAfterBlocks: 1 })
  const legacy = { ...fees, legacy: true }
  const bundle = order(relayer.address, { fees: legacy })
  const { transactionHash } = await submitter.submit(bundle)
  await mineWithout(transactionHash)
  await head({ fees: { ...legacy, maxFeePerGas: parseGwei('150') } })
  const versions = versionsOf({ host }, bundle.bundleId).map(({ raw }) => parseTransaction(raw))
  expect(versions.map(({ type, gasPrice }) => ({ type, gasPrice }))).toEqual([
    { type: 'legacy', gasPrice: parseGwei('3') },
    { type: 'legacy', gasPrice: parseGwei('150') },
  ])
  await mine()
  expect(host.events.at(-1)?.kind).toBe('mined')
})

test('after drain nothing is taken any more', async () => {
  const { relayer, submitter, host } = await oneRelayer()
  await submitter.drain(undefined)
  await expect(submitter.submit(order(relayer.address))).rejects.toThrow('Internal error')
  expect(host.open.size).toBe(0)
})

test('start after a crash: a transaction that was never sent is sent as it is', async () => {
  const before = await oneRelayer()
  before.faults.sending = 'lost'
  const { transactionHash } = await before.submitter.submit(order(before.relayer.address))
  const journal = await crash(before)

  const { host, mine, kinds } = await bench([before.relayer.key], { journal })
  expect(await placeOf(chain, transactionHash)).toBe('pool')
  expect(host.relayers[0]).toMatchObject({ state: 'busy', nextNonce: 1 })
  await mine()
  expect(kinds()).toEqual(['mined'])
  expect(await nonceOf(chain, before.relayer.address)).toBe(1)
})

test('start after a crash: a pending transaction is taken up, and can be replaced', async () => {
  const before = await oneRelayer()
  const { transactionHash } = await before.submitter.submit(order(before.relayer.address))
  const journal = await crash(before)

  const { host, head, mine, kinds } = await bench([before.relayer.key], { journal })
  for (let block = 0; block < 2; block++) {
    await mineWithout(transactionHash)
    await head()
  }
  expect(kinds()).toEqual(['submitted'])
  await mine()
  expect(kinds()).toEqual(['submitted', 'mined'])
  expect(host.relayers[0]).toMatchObject({ state: 'idle', nextNonce: 1 })
})

test('start after a crash: a mined transaction is recognised', async () => {
  const before = await oneRelayer()
  const { transactionHash } = await before.submitter.submit(order(before.relayer.address))
  const journal = await crash(before)
  await rpc(chain.url, 'evm_mine')

  const { host, sent } = await bench([before.relayer.key], { journal })
  expect(host.events).toMatchObject([{ kind: 'mined', transactionHash }])
  expect(host.relayers[0]).toMatchObject({ state: 'idle', nextNonce: 1 })
  expect(sent).toEqual([])
})

test('start after a crash: a transaction deeper than the reorg depth is final', async () => {
  const before = await oneRelayer()
  await before.submitter.submit(order(before.relayer.address))
  const journal = await crash(before)
  for (let block = 0; block < 5; block++) await rpc(chain.url, 'evm_mine')

  const { host, kinds } = await bench([before.relayer.key], { journal })
  expect(kinds()).toEqual(['mined', 'finalized'])
  expect(host.open.size).toBe(0)
})

test('start after a crash: whichever version was mined is recognised', async () => {
  const before = await oneRelayer()
  const { transactionHash } = await before.submitter.submit(order(before.relayer.address))
  before.faults.sending = 'lost'
  for (let block = 0; block < 2; block++) {
    await mineWithout(transactionHash)
    await before.head()
  }
  const journal = await crash(before)
  expect(journal[0]?.transactions).toHaveLength(2)
  await rpc(chain.url, 'eth_sendRawTransaction', [journal[0]?.transactions[0]?.raw])
  await rpc(chain.url, 'evm_mine')

  const { host } = await bench([before.relayer.key], { journal })
  expect(host.events).toMatchObject([{ kind: 'mined', transactionHash }])
})

test('start after a crash: a nonce that a stranger used sets the operations free', async () => {
  const before = await oneRelayer()
  before.faults.sending = 'lost'
  await before.submitter.submit(order(before.relayer.address))
  const journal = await crash(before)
  await sendForeign(before.relayer.key, 0)
  await rpc(chain.url, 'evm_mine')

  const { host, mine, kinds } = await bench([before.relayer.key], { journal })
  await mine()
  expect(kinds()).toEqual(['abandoned'])
  expect(host.open.size).toBe(0)
  expect(host.relayers[0]).toMatchObject({ state: 'idle', nextNonce: 1 })
})

test('start after a crash: a gap below a journaled nonce is filled', async () => {
  const relayer = await fundedKey(chain)
  const journal = [{ ...(await journaledAt(relayer, 1)), bundleId: 'above-the-gap' }]
  const { host, head, mine } = await bench([relayer.key], { journal })
  await head()
  const filler = [...host.open.values()].find(({ bundleId }) => bundleId !== 'above-the-gap')
  expect(filler?.transactions).toMatchObject([{ kind: 'cancel', nonce: 0 }])
  await mine()
  expect(eventsOf({ host }, 'above-the-gap')).toEqual(['mined'])
  expect(await nonceOf(chain, relayer.address)).toBe(2)
  expect(host.relayers[0]).toMatchObject({ state: 'idle', nextNonce: 2 })
})

test('start after a crash: a relayer whose key is gone is watched and sent for, never signed for', async () => {
  const before = await oneRelayer()
  before.faults.sending = 'lost'
  const { transactionHash } = await before.submitter.submit(order(before.relayer.address))
  const journal = await crash(before)

  const { host, head, mine, kinds } = await bench([], { journal })
  expect(host.relayers).toEqual([])
  for (let block = 0; block < 3; block++) {
    await mineWithout(transactionHash)
    await head()
  }
  expect(host.open.values().next().value?.transactions).toHaveLength(1)
  expect(await placeOf(chain, transactionHash)).toBe('pool')
  await mine()
  expect(kinds()).toEqual(['mined'])
})

test('start while unknown transactions of the relayer wait in the node: it waits for them', async () => {
  const relayer = await fundedKey(chain)
  await sendForeign(relayer.key, 0)
  const { submitter, host, mine } = await bench([relayer.key])
  expect(host.relayers[0]?.state).toBe('recovering')
  await expect(submitter.submit(order(relayer.address))).rejects.toMatchObject({
    data: { state: 'recovering' },
  })
  await mine()
  expect(host.relayers[0]).toMatchObject({ state: 'idle', nextNonce: 1 })
})

test('two bundles that the journal holds for one nonce: the one that is mined counts', async () => {
  const relayer = await fundedKey(chain)
  const old = { ...(await journaledAt(relayer, 0, { createdAt: 1 })), bundleId: 'old' }
  const young = { ...(await journaledAt(relayer, 0, { createdAt: 2, gasLimit: 90_000n })), bundleId: 'young' }
  await rpc(chain.url, 'eth_sendRawTransaction', [old.transactions[0]?.raw])
  await rpc(chain.url, 'evm_mine')
  const { host } = await bench([relayer.key], { journal: [old, young] })
  expect(eventsOf({ host }, 'old')).toEqual(['mined'])
  expect(eventsOf({ host }, 'young')).toEqual(['abandoned'])
})

test('in a thread of its own it does the same', async () => {
  const relayer = await fundedKey(chain)
  const host = recordHost()
  const log = createLog({ level: 'silent' })
  const onFatal = (error: Error) => {
    throw error
  }
  const options = { logLevel: 'silent' } as const
  const submitter = await startSubmitterThread(options, host, { log, onFatal })
  const opened = await submitter.open({ chain: chainSettings(chain, [relayer.key]), journal: [] })
  expect(opened).toEqual([{ address: relayer.address, state: 'idle', balance: ether, nextNonce: 0 }])

  const bundle = order(relayer.address)
  const { transactionHash } = await submitter.submit(bundle)
  // Not with `expect(…).rejects`: bun's waits without letting messages of workers in.
  const refusal = await submitter.submit(order(relayer.address)).catch((error) => error)
  expect(refusal).toMatchObject({ code: -32005, message: 'relayer is not idle: busy' })
  await rpc(chain.url, 'evm_mine')
  const head = await blockAt(chain, 'latest')
  await submitter.onHead({ chainId: chain.chainId, head, removed: [], fees })
  expect(host.events).toMatchObject([
    { kind: 'submitted', transactionHash },
    { kind: 'abandoned', reason: 'relayer is not idle: busy' },
    { kind: 'mined', transactionHash, operations: bundle.operations },
  ])
  await submitter.drain(undefined)
  await submitter.stop()
})

/** A bundle as the journal holds it, at a nonce of one's choice. */
async function journaledAt(
  { key, address }: { key: Hex; address: Address },
  nonce: number,
  { createdAt = 1, gasLimit = 100_000n } = {},
): Promise<OpenBundle & { transactions: JournaledTransaction[] }> {
  const { to, data, operations, bundleId } = order(address)
  const raw = await privateKeyToAccount(key).signTransaction({
    type: 'eip1559',
    chainId: chain.chainId,
    nonce,
    to,
    data,
    gas: gasLimit,
    maxFeePerGas: fees.maxFeePerGas,
    maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
  })
  const { maxFeePerGas, maxPriorityFeePerGas } = fees
  const transaction: JournaledTransaction = {
    chainId: chain.chainId,
    bundleId,
    relayer: address,
    nonce,
    hash: keccak256(raw),
    raw,
    maxFeePerGas,
    maxPriorityFeePerGas,
    kind: 'bundle',
    createdAt,
  }
  return { bundleId, operations, transactions: [transaction] }
}
