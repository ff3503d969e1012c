import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import type { Context } from '../../src/base/context.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import type { Verdict } from '../../src/types/verdict.ts'
import { spawnSimulatorWorker } from '../../src/validation/simulator-thread.ts'
import { type Simulators, startSimulators } from '../../src/validation/simulators.ts'
import { fund, signedOperation, simpleAccount } from '../support/accounts.ts'
import { address, userOp } from '../support/builders.ts'
import { sendBundle } from '../support/bundles.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { simulatorChain } from '../support/engines.ts'
import { type FaultyProxy, type ProxyMode, startFaultyProxy } from '../support/faultyProxy.ts'
import { type HostileAccount, hostileAccounts, hostileOperations } from '../support/hostileCode.ts'
import { latestBlock, silentContext } from '../support/simulation.ts'

type Block = Awaited<ReturnType<typeof latestBlock>>

let chain: DevChain
let proxy: FaultyProxy
let hostile: { hostile: HostileAccount; op: UserOperation }[]
let good: UserOperation
let block: Block
beforeAll(async () => {
  chain = await startDevChain()
  proxy = startFaultyProxy(chain.url)
  const free = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
  hostile = await hostileOperations(chain, free)
  const account = await simpleAccount(chain, '0.7')
  await fund(chain, account.address)
  good = await signedOperation(chain, account)
  await rpc(chain.url, 'anvil_mine')
  block = await latestBlock(chain)
}, 60_000)
afterAll(async () => {
  await proxy.stop()
  await chain.stop()
})

const running: Simulators[] = []
afterEach(async () => {
  for (const simulators of running.splice(0)) await simulators.stop()
  proxy.mode = 'pass'
  proxy.refuse([])
})

async function open(
  count: number,
  { context = silentContext(), workers = [] }: { context?: Context; workers?: Worker[] } = {},
): Promise<Simulators> {
  const spawn = spawnSimulatorWorker((worker) => workers.push(worker))
  const simulators = await startSimulators({ count }, count === 0 ? context : { ...context, spawn })
  running.push(simulators)
  await simulators.open(simulatorChain({ url: proxy.url, chainId: chain.chainId }))
  return simulators
}

const judged = (simulators: Simulators, op: UserOperation, at: Block = block): Promise<Verdict> =>
  simulators.validate({ chainId: chain.chainId, op, block: at, nonceSequence: undefined })

/** So that what a run reads has to be found by running. */
const helpful = ['debug_traceCall', 'eth_createAccessList']

describe('hostile code, on a node that tells nothing but plain state', () => {
  let simulators: Simulators
  let context: Context
  beforeAll(async () => {
    context = silentContext()
    simulators = await open(0, { context })
    running.splice(0)
  })
  afterAll(() => simulators.stop())

  test.each(hostileAccounts.map(({ name }) => name))('%s: a verdict, after a few requests', async (name) => {
    const found = hostile.find((each) => each.hostile.name === name)
    if (found === undefined) throw new Error(name)
    proxy.refuse(helpful)
    const before = proxy.requests
    expect(await judged(simulators, found.op)).toMatchObject(found.hostile.expectedByReads)
    expect(proxy.requests - before).toBeLessThanOrEqual(10)
  })

  test('leaves the thread as it was', async () => {
    proxy.refuse(helpful)
    expect(await judged(simulators, good)).toMatchObject({ kind: 'accepted', facts: { level: 'full' } })
    const scattered = hostileAccounts.filter((each) => each.expectedByReads !== each.expected).length
    expect(await context.metrics.text()).toContain(`{chain="31337",rounds="too-many"} ${scattered}`)
  })

  test('pointers that a node follows for us are followed', async () => {
    const found = hostile.find((each) => each.hostile.expected.kind === 'accepted')
    expect(await judged(await open(0), found?.op ?? good)).toMatchObject({ kind: 'accepted' })
  })
})

test('threads that die under load, terminated or by a fault, cost no verdict', async () => {
  const workers: Worker[] = []
  const simulators = await open(2, { workers })
  const quick = hostile.filter(({ op }) => op.verificationGasLimit < 500_000n)
  const ops = [...quick, ...quick, ...quick].flatMap(({ op, hostile: { expected } }) => [
    { op: good, expected: { kind: 'accepted' } },
    { op, expected },
  ])
  const started = proxy.nextRequest()
  proxy.mode = 'slow'
  const verdicts = ops.map(({ op }) => judged(simulators, op))
  await started
  const [first, second] = workers
  first?.terminate()
  // A message that no link of ours sends: it throws where nobody catches.
  second?.postMessage({ calls: 5 })
  proxy.mode = 'pass'
  const told = await Promise.all(verdicts)
  for (const [index, { expected }] of ops.entries()) expect(told[index]).toMatchObject(expected)
  // Both are replaced, and what they had was done by a third.
  expect(workers.length).toBe(5)
}, 60_000)

describe('a block that goes by', () => {
  test('while its state is fetched is not mixed with the next', async () => {
    const account = await simpleAccount(chain, '0.7')
    await fund(chain, account.address)
    const op = await signedOperation(chain, account)
    const before = await latestBlock(chain)
    const simulators = await open(0)
    proxy.refuse(helpful)

    proxy.mode = 'slow'
    let rounds = 0
    const verdict = judged(simulators, op, before)
    const over = verdict.then(() => 'over' as const)
    while ((await Promise.race([proxy.nextRequest(), over])) !== 'over') {
      if (rounds === 0) await sendBundle(chain, [op])
      else await rpc(chain.url, 'anvil_mine')
      rounds += 1
      proxy.release()
    }
    expect(rounds).toBeGreaterThan(1)
    expect(await verdict).toMatchObject({ kind: 'accepted', facts: { block: { hash: before.hash } } })

    proxy.mode = 'pass'
    expect(await judged(simulators, op, await latestBlock(chain))).toMatchObject({
      kind: 'rejected',
      error: { message: 'AA10 sender already constructed' },
    })
  })

  test('by a reorg takes the code with it that was thought to last', async () => {
    const sender = address(0x60000)
    const op = userOp({ sender, verificationGasLimit: 100_000n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n })
    const simulators = await open(0)
    proxy.refuse(helpful)
    const snapshot = await rpc(chain.url, 'evm_snapshot')
    const withCode = async (code: Hex) => {
      await rpc(chain.url, 'anvil_setCode', [sender, code])
      await rpc(chain.url, 'anvil_mine')
      return latestBlock(chain)
    }
    // It returns zero; then it reverts.
    const first = await withCode('0x60206000f3')
    expect(await judged(simulators, op, first)).toMatchObject({ kind: 'accepted' })
    await rpc(chain.url, 'evm_revert', [snapshot])
    const second = await withCode('0x5f5ffd')
    expect(second.number).toBe(first.number)
    expect(await judged(simulators, op, second)).toMatchObject({
      kind: 'rejected',
      error: { message: 'AA23 reverted: reverted without a reason' },
    })
    // The first is a block that no node has any more.
    expect(await judged(await open(0), op, first)).toMatchObject({ kind: 'unknown' })
  })
})

describe('a node that fails in the middle of it is no verdict', () => {
  const faults: readonly ProxyMode[] = [
    ...(['wrong-types', 'wrong-id', 'garbage', 'truncated', 'drop-one'] as const),
    ...(['over-limit', 'rate-limited', 'unavailable', 'unknown-block'] as const),
  ]
  test.each(faults.map((mode, index) => [mode, 2 + (index % 2)] as const))(
    '%s from request %d on',
    async (mode, request) => {
      const simulators = await open(0)
      proxy.refuse(helpful)
      proxy.mode = 'slow'
      const verdict = judged(simulators, good)
      for (let passed = 1; passed < request; passed += 1) {
        await proxy.nextRequest()
        proxy.release()
      }
      await proxy.nextRequest()
      proxy.mode = mode
      expect((await verdict).kind).toBe('unknown')
    },
  )
})
