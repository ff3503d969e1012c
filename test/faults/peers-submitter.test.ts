import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type Hash, parseEther, parseGwei, parseTransaction } from 'viem'
import { bundleFees, feeCeiling } from '../../src/bundler/bundle-fees.ts'
import type { FeeQuote } from '../../src/types/block.ts'
import type { JournaledTransaction } from '../../src/types/ports/submitter.ts'
import { requiredPrefund } from '../../src/types/userop-cost.ts'
import { execute } from '../support/accounts.ts'
import { userOp } from '../support/builders.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { type Bench, fees, fundedKey, nonceOf, order, startBench } from '../support/submitter.ts'

/** Faults of other bundlers that are the submitter's (see peers.md): a test each that fails on their behaviour. */
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
  relayers: number,
  changes?: Parameters<typeof startBench>[2],
): Promise<Bench & { relayers: Awaited<ReturnType<typeof fundedKey>>[] }> {
  const funded = await Promise.all(Array.from({ length: relayers }, () => fundedKey(chain)))
  const made = await startBench(
    chain,
    funded.map(({ key }) => key),
    changes,
  )
  benches.push(made)
  return { ...made, relayers: funded }
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

/** Whether the pool of most nodes lets one replace the other: 10 % more of both (geth, legacypool/list.go). */
function mayReplace(next: JournaledTransaction, last: JournaledTransaction): boolean {
  const enough = (a: bigint, b: bigint) => a > b && a * 100n >= b * 110n
  return (
    enough(next.maxFeePerGas, last.maxFeePerGas) &&
    enough(next.maxPriorityFeePerGas, last.maxPriorityFeePerGas)
  )
}

test('fault 2: "nonce too low" is our own transaction, mined; its operations are not sent under a new nonce', async () => {
  const { relayers, submitter, host, faults, sent, mine, kinds } = await bench(1)
  const [relayer] = relayers
  if (relayer === undefined) throw new Error('a relayer was made')
  await rpc(chain.url, 'evm_setAutomine', [true])
  faults.sending = 'answer-lost'
  const bundle = order(relayer.address)
  const { transactionHash } = await submitter.submit(bundle)
  faults.sending = 'none'
  // Sent again, the node says "nonce too low".
  expect(await host.told('mined')).toMatchObject({ transactionHash, operations: bundle.operations })
  expect(sent.length).toBeGreaterThan(1)
  await mine()
  await mine()
  expect(kinds()).toEqual(['submitted', 'mined'])
  expect(new Set(sent).size).toBe(1)
  expect(await nonceOf(chain, relayer.address)).toBe(1)
})

test('fault 6: a transaction that is pending for long has not reverted: its nonce stays its own', async () => {
  const { relayers, submitter, host, head, mine, kinds } = await bench(1, { replaceAfterBlocks: 3 })
  const [relayer] = relayers
  if (relayer === undefined) throw new Error('a relayer was made')
  const bundle = order(relayer.address)
  await submitter.submit(bundle)
  for (let block = 0; block < 20; block++) {
    await rpc(chain.url, 'anvil_dropAllTransactions')
    await rpc(chain.url, 'evm_mine')
    await head()
    const other = await submitter.submit(order(relayer.address)).catch((error) => error)
    expect(other).toMatchObject({ code: -32005, data: { state: 'busy' } })
  }
  await mine()
  const versions = versionsOf({ host }, bundle.bundleId)
  const contents = versions
    .map(({ raw }) => parseTransaction(raw))
    .map(({ nonce, data }) => ({ nonce, data }))
  expect(new Set(contents.map(({ data }) => data)).size).toBe(1)
  expect(contents.map(({ nonce = 0 }) => nonce)).toEqual(versions.map(() => 0))
  expect(kinds().filter((kind) => kind === 'mined')).toEqual(['mined'])
  expect(await nonceOf(chain, relayer.address)).toBe(1)
})

test('fault 10: what operations send to the beneficiary buys no gas: bids end at their summed prefund', async () => {
  const beneficiary = '0x00000000000000000000000000000000000beef1'
  const plain = userOp({ maxFeePerGas: parseGwei('4'), maxPriorityFeePerGas: parseGwei('2') })
  const generous = { ...plain, callData: execute(beneficiary, parseEther('100')) }
  const quote: FeeQuote = { ...fees, maxFeePerGas: parseGwei('3') }
  const none = { leastPriorityFee: 0n, deficit: 0n }
  expect(bundleFees([generous], quote, none)).toEqual(bundleFees([plain], quote, none))

  const { relayers, submitter, host, mine } = await bench(1, { replaceAfterBlocks: 1 })
  const [relayer] = relayers
  if (relayer === undefined) throw new Error('a relayer was made')
  const bundle = order(relayer.address, {
    fees: bundleFees([generous], quote, none),
    ceiling: feeCeiling([generous], quote),
  })
  await submitter.submit(bundle)
  const madness = { ...fees, maxFeePerGas: parseGwei('90000'), maxPriorityFeePerGas: parseGwei('80000') }
  for (let block = 0; block < 4; block++) {
    await nextBaseFee('1000')
    await mine({ fees: madness })
  }
  const versions = versionsOf({ host }, bundle.bundleId)
  expect(versions.length).toBeGreaterThan(1)
  const gas = requiredPrefund(generous) / generous.maxFeePerGas
  for (const { maxFeePerGas } of versions) {
    expect(maxFeePerGas * gas).toBeLessThanOrEqual(requiredPrefund(generous))
  }
})

test('fault 11: every bump, however many, passes the 10 % rule of the nodes', async () => {
  const { relayers, submitter, host, head } = await bench(1, { replaceAfterBlocks: 1 })
  const [relayer] = relayers
  if (relayer === undefined) throw new Error('a relayer was made')
  const bundle = order(relayer.address)
  await submitter.submit(bundle)
  for (let block = 0; block < 12; block++) {
    const newest = versionsOf({ host }, bundle.bundleId).at(-1)
    if (newest === undefined) throw new Error('it was journaled')
    await mineWithout(newest.hash)
    await head()
  }
  const versions = versionsOf({ host }, bundle.bundleId)
  expect(versions.length).toBeGreaterThan(10)
  const steps = versions.slice(1).map((version, index) => [version, versions[index]] as const)
  expect(steps.map(([next, last]) => last !== undefined && mayReplace(next, last))).toEqual(
    steps.map(() => true),
  )
})

test('fault 12: while a nonce is stuck another relayer serves, and the nonce is recovered', async () => {
  const { relayers, submitter, host, head, mine } = await bench(2, { replaceAfterBlocks: 1 })
  const [stuck, other] = relayers
  if (stuck === undefined || other === undefined) throw new Error('two relayers were made')
  // It pays 3 gwei at most, and no more can be offered for it.
  const cheap = order(stuck.address, { ceiling: fees })
  await submitter.submit(cheap)
  await nextBaseFee('100')
  const dear = { ...fees, baseFee: parseGwei('100'), maxFeePerGas: parseGwei('250') }
  await mine({ fees: dear })
  const stateOf = (address: string) => host.relayers.find((relayer) => relayer.address === address)?.state
  expect([stateOf(stuck.address), stateOf(other.address)]).toEqual(['busy', 'idle'])

  const served = order(other.address, { fees: dear })
  await submitter.submit(served)
  await mine({ fees: dear })
  expect(host.events.at(-1)).toMatchObject({ kind: 'mined', bundleId: served.bundleId })

  // The price does not come back: the nonce is freed at its expense of a plain transfer, and serves again.
  for (let block = 0; block < 12; block++) {
    await nextBaseFee('100')
    await mine({ fees: dear })
  }
  expect(host.events.filter(({ bundleId }) => bundleId === cheap.bundleId).at(-1)).toMatchObject({
    kind: 'abandoned',
    operations: cheap.operations,
  })
  expect(stateOf(stuck.address)).toBe('idle')
  await submitter.submit(order(stuck.address, { fees: dear }))
  await nextBaseFee('100')
  await mine({ fees: dear })
  expect(await nonceOf(chain, stuck.address)).toBe(2)
  await head()
})

test('fault 12: a nonce that a crash left behind is filled, so that the wallet goes on', async () => {
  const first = await bench(1)
  // Its funding must lie deeper than the reorg.
  await rpc(chain.url, 'anvil_mine', ['0x4'])
  const [relayer] = first.relayers
  if (relayer === undefined) throw new Error('a relayer was made')
  const [lost, kept] = [order(relayer.address), order(relayer.address)]
  await first.submitter.submit(lost)
  await rpc(chain.url, 'evm_mine')
  await first.head()
  await first.submitter.submit(kept)
  await first.submitter.stop()
  // The first one was reorganised away, and the journal was told that it is over.
  await rpc(chain.url, 'anvil_reorg', [1, []])
  await rpc(chain.url, 'anvil_dropAllTransactions')
  const journal = [...first.host.open.values()].filter(({ bundleId }) => bundleId === kept.bundleId)
  const second = await startBench(chain, [relayer.key], { journal })
  benches.push(second)
  await second.head()
  await second.mine()
  expect(await nonceOf(chain, relayer.address)).toBe(2)
  expect(second.host.relayers[0]).toMatchObject({ state: 'idle', nextNonce: 2 })
})
