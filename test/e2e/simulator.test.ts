import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { deferred } from '../../src/base/queue.ts'
import { createWatchdog, type Watchdog } from '../../src/base/watchdog.ts'
import type { SimulatorPort } from '../../src/types/ports/simulator.ts'
import { spawnSimulatorWorker } from '../../src/validation/simulator-thread.ts'
import { type Simulators, startSimulators } from '../../src/validation/simulators.ts'
import { fund, signedOperation, simpleAccount } from '../support/accounts.ts'
import { type DevChain, startDevChain } from '../support/devChain.ts'
import { simulatorChain } from '../support/engines.ts'
import { latestBlock, silentContext } from '../support/simulation.ts'

let chain: DevChain
beforeAll(async () => {
  chain = await startDevChain()
})
afterAll(() => chain.stop())

const running: { stop(): Promise<void> | void }[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

const until = <T extends { stop(): Promise<void> | void }>(started: T): T => {
  running.push(started)
  return started
}

async function opened(simulators: Simulators, nodeUrl = chain.url): Promise<Simulators> {
  await simulators.open(simulatorChain({ url: nodeUrl, chainId: chain.chainId }))
  return until(simulators)
}

async function goodJob(): Promise<Parameters<SimulatorPort['validate']>[0]> {
  const account = await simpleAccount(chain, '0.7')
  await fund(chain, account.address)
  const op = await signedOperation(chain, account)
  return { chainId: chain.chainId, op, block: await latestBlock(chain), nonceSequence: undefined }
}

/** What it rejects with: `expect().rejects` would stop the messages between threads while it waits. */
function failureOf(promise: Promise<unknown>): Promise<Error | undefined> {
  return promise.then(
    () => undefined,
    (error: Error) => error,
  )
}

/** A node that keeps the first question about a job waiting until it is let go, and tells when it has one. */
function slowNode() {
  const asked: (() => void)[] = []
  const released = deferred<void>()
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const body = await request.text()
      if (body.includes('"eth_getBlockByHash"')) {
        for (const tell of asked.splice(0)) tell()
        await released.promise
      }
      const headers = { 'content-type': 'application/json' }
      return fetch(chain.url, { method: 'POST', headers, body })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    release: released.resolve,
    /** The next such question has arrived. */
    nextCall: () => new Promise<void>((resolve) => asked.push(resolve)),
    stop: () => server.stop(true),
  }
}

test.each([0, 2])('%d threads judge, measure and check over the same interface', async (count) => {
  const simulators = await opened(await startSimulators({ count }, silentContext()))
  const job = await goodJob()

  expect(await simulators.validate(job)).toMatchObject({ kind: 'accepted', facts: { level: 'full' } })
  const limits = await simulators.estimate({ ...job, stateOverrides: undefined })
  expect(limits.verificationGasLimit).toBeGreaterThan(0n)
  const from = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  const bundle = {
    ...({ chainId: chain.chainId, version: '0.7', ops: [job.op], beneficiary: from, from } as const),
    ...{ gasLimit: 2_000_000n, maxFeePerGas: 5_000_000_000n, block: job.block },
  }
  expect(await simulators.checkBundle(bundle)).toEqual({ kind: 'passes', authorizations: [], drifts: [] })
})

test('an error of the table keeps code and data on its way through the thread', async () => {
  const simulators = await opened(await startSimulators({ count: 1 }, silentContext()))
  const job = await goodJob()
  const op = { ...job.op, nonce: 3n }
  expect(await failureOf(simulators.estimate({ ...job, op, stateOverrides: undefined }))).toMatchObject({
    code: -32500,
    message: 'AA25 invalid account nonce',
    data: { aaCode: 'AA25' },
  })
})

test('a thread that dies is replaced, and its jobs are tried once more, in a thread of their own', async () => {
  const workers: Worker[] = []
  const node = until(slowNode())
  const spawn = spawnSimulatorWorker((worker) => workers.push(worker))
  const simulators = await opened(
    await startSimulators({ count: 1 }, { ...silentContext(), spawn }),
    node.url,
  )

  const arrived = node.nextCall()
  const verdict = simulators.validate(await goodJob())
  await arrived
  workers[0]?.terminate()
  node.release()

  expect(await verdict).toMatchObject({ kind: 'accepted' })
  expect(workers.length).toBe(3)
})

test('a thread that hangs is replaced, and its jobs are tried once more', async () => {
  const workers: Worker[] = []
  let clock = 0
  const watchdogs: Watchdog[] = []
  const watch: typeof createWatchdog = (watched, { onSilence }) => {
    const watchdog = createWatchdog(watched, { onSilence, now: () => clock })
    watchdogs.push(watchdog)
    return watchdog
  }
  const node = until(slowNode())
  const spawn = spawnSimulatorWorker((worker) => workers.push(worker), watch)
  const simulators = await opened(
    await startSimulators({ count: 1 }, { ...silentContext(), spawn }),
    node.url,
  )

  const arrived = node.nextCall()
  const verdict = simulators.validate(await goodJob())
  await arrived
  for (const worker of workers) worker.onmessage = null
  node.release()
  clock = 1e9
  watchdogs[0]?.look()
  clock += 15_001
  watchdogs[0]?.look()

  expect(await verdict).toMatchObject({ kind: 'accepted' })
  expect(workers.length).toBe(3)
})

test('a job whose thread dies twice is unknown', async () => {
  const workers: Worker[] = []
  const node = until(slowNode())
  const spawn = spawnSimulatorWorker((worker) => workers.push(worker))
  const simulators = await opened(
    await startSimulators({ count: 1 }, { ...silentContext(), spawn }),
    node.url,
  )

  const first = node.nextCall()
  const verdict = simulators.validate(await goodJob())
  await first
  const second = node.nextCall()
  workers[0]?.terminate()
  await second
  for (const worker of workers.slice(1)) worker.terminate()
  expect(await verdict).toEqual({ kind: 'unknown', cause: 'simulator died: it ended' })
})

test('a full queue refuses at once', async () => {
  const node = until(slowNode())
  const simulators = await opened(
    await startSimulators({ count: 1, queueSize: 1 }, silentContext()),
    node.url,
  )
  const job = await goodJob()
  const waiting = simulators.validate(job)
  expect(await failureOf(simulators.validate(job))).toMatchObject({
    code: -32005,
    message: 'limit exceeded',
    data: { retryAfterMs: 1000 },
  })
  node.release()
  expect(await waiting).toMatchObject({ kind: 'accepted' })
})

test('a node that is down is unknown, never a rejection', async () => {
  const node = slowNode()
  await node.stop()
  const simulators = await opened(await startSimulators({ count: 0 }, silentContext()), node.url)
  const job = await goodJob()
  expect(await simulators.validate(job)).toMatchObject({ kind: 'unknown' })
  expect(await failureOf(simulators.estimate({ ...job, stateOverrides: undefined }))).toMatchObject({
    code: -32603,
  })
})

test('a chain that was never opened is unknown', async () => {
  const simulators = until(await startSimulators({ count: 0 }, silentContext()))
  expect(await simulators.validate(await goodJob())).toEqual({
    kind: 'unknown',
    cause: `chain ${chain.chainId} is not open`,
  })
})
