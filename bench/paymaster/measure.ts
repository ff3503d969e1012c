import { numberToHex } from 'viem'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import { addressOf } from '../../test/support/paymasterService.ts'
import { sendAtRate } from '../load/load.ts'
import { costOf } from '../load/process-cost.ts'
import { median, quantile } from '../soak/statistics.ts'
import { paymasterSetting, type Setting, type Sponsor } from './setting.ts'

/** What `pm_getPaymasterData` costs, from outside the process. Latencies and processor time in ms. */
export type PaymasterFigures = {
  /** Processor time of a call, with eight clients at once. */
  cpu: number
  /** The same of the node. */
  nodeCpu: number
  nodeCalls: number
  /** Of one client: processor time, and latency. */
  aloneCpu: number
  alone: number
  /** At 200 calls a second, beside 30 operations a second that are sent to the bundler. */
  p50: number
  p99: number
  /** Of the large tenant to that of the small one: medians of the ratios round by round. */
  latencyRatio: number
  cpuRatio: number
  /** Calls without a signature; operations that the bundler did not take. */
  refused: number
}

/** Long enough for processor time, which is counted in ticks of 10 ms. */
const callsInRound = 96
const clients = 8
const rounds = 7
/** Until then a call costs up to twice as much: the engine compiles what it runs. */
const warmUpRounds = 10
/**
 * Per second, and s. All that is sent stays below the 256 requests that Bun has open at once: the proxy before the node
 * is in this process, and the service would wait for it.
 */
const load = { calls: 200, operations: 30, seconds: 5, connections: 100 }
/** ms that a service without callers is watched */
const idleTime = 3_000

export async function measurePaymaster(): Promise<PaymasterFigures> {
  const setting = await paymasterSetting()
  try {
    await inTurn(warmUpRounds, () => round(setting, setting.usual, clients))
    const idle = await idleCost(setting)
    const cpu = (each: Round) => (each.cpuMs - idle.cpu * each.elapsed) / callsInRound
    const turns = await inTurn(rounds, async () => ({
      alone: await round(setting, setting.usual, 1),
      busy: await round(setting, setting.usual, clients),
    }))
    const [alone, busy] = [turns.map((turn) => turn.alone), turns.map((turn) => turn.busy)]
    const pairs = await inTurn(rounds, async () => ({
      small: await round(setting, setting.small, 1),
      large: await round(setting, setting.large, 1),
    }))
    const rush = await underLoad(setting)
    const everything = [...alone, ...busy, ...pairs.flatMap(({ small, large }) => [small, large])]
    return {
      cpu: median(busy.map(cpu)),
      nodeCpu: median(busy.map(({ nodeCpuMs, elapsed }) => (nodeCpuMs - idle.node * elapsed) / callsInRound)),
      nodeCalls: median(busy.map(({ nodeCalls }) => nodeCalls / callsInRound)),
      aloneCpu: median(alone.map(cpu)),
      alone: median(alone.flatMap(({ latencies }) => latencies)),
      p50: quantile(rush.latencies, 0.5),
      p99: quantile(rush.latencies, 0.99),
      latencyRatio: median(
        pairs.map(({ small, large }) => median(large.latencies) / median(small.latencies)),
      ),
      cpuRatio: median(pairs.map(({ small, large }) => cpu(large) / cpu(small))),
      refused: rush.refused + everything.reduce((sum, { refused }) => sum + refused, 0),
    }
  } finally {
    await setting.stop()
  }
}

type Round = {
  latencies: number[]
  refused: number
  elapsed: number
  cpuMs: number
  nodeCpuMs: number
  nodeCalls: number
}

/** Each client asks for its next signature as soon as it has the last one. */
async function round(setting: Setting, sponsor: Sponsor, clients: number): Promise<Round> {
  const { service, chain, nodeCalls } = setting
  const before = { own: costOf(service.pid).cpuMs, node: costOf(chain.process.pid).cpuMs, calls: nodeCalls() }
  const started = performance.now()
  const latencies: number[] = []
  let refused = 0
  const client = async () => {
    for (let call = 0; call < callsInRound / clients; call++) {
      const { latency, signed } = await ask(setting, sponsor)
      latencies.push(latency)
      if (!signed) refused += 1
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return {
    ...{ latencies, refused, elapsed: performance.now() - started },
    cpuMs: costOf(service.pid).cpuMs - before.own,
    nodeCpuMs: costOf(chain.process.pid).cpuMs - before.node,
    nodeCalls: nodeCalls() - before.calls,
  }
}

/** Latencies count from when a call is due, also where it must wait for a connection. */
async function underLoad(setting: Setting): Promise<{ latencies: number[]; refused: number }> {
  const { service, usual, selfPaid } = setting
  const sending = sendAtRate(service.url, selfPaid, load.operations)
  const started = performance.now()
  const due = Array.from(
    { length: load.calls * load.seconds },
    (_, index) => started + (index * 1000) / load.calls,
  )
  const waiting = due.values()
  const latencies: number[] = []
  let refused = 0
  const client = async () => {
    for (const time of waiting) {
      await Bun.sleep(Math.max(0, time - performance.now()))
      const { signed } = await ask(setting, usual)
      latencies.push(performance.now() - time)
      if (!signed) refused += 1
    }
  }
  await Promise.all(Array.from({ length: load.connections }, client))
  const lost = (await sending).filter(({ hash }) => hash === undefined).length
  return { latencies, refused: refused + lost }
}

/** ms of processor time in a ms, of the service and of the node. */
async function idleCost({ service, chain }: Setting): Promise<{ cpu: number; node: number }> {
  const before = [costOf(service.pid).cpuMs, costOf(chain.process.pid).cpuMs] as const
  await Bun.sleep(idleTime)
  return {
    cpu: (costOf(service.pid).cpuMs - before[0]) / idleTime,
    node: (costOf(chain.process.pid).cpuMs - before[1]) / idleTime,
  }
}

async function inTurn<Result>(times: number, task: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  while (results.length < times) results.push(await task())
  return results
}

/** pm_getPaymasterData, with a policy check and a signature. */
async function ask({ service, chain }: Setting, { key, next }: Sponsor) {
  const op = next()
  const params = [
    { ...formatUserOperation(op), signature: '0x' },
    entryPoints[op.version].address,
    numberToHex(chain.chainId),
    { mode: 'sponsor' },
  ]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'pm_getPaymasterData', params })
  const started = performance.now()
  const response = await fetch(addressOf(service, key, chain, true), { method: 'POST', body })
  const answer = (await response.json()) as { result?: { paymasterData?: string }; error?: unknown }
  return { latency: performance.now() - started, signed: answer.result?.paymasterData !== undefined }
}
