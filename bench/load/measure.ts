import { anvilKeys, freePort } from '../../src/dev/anvil.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import type { EntryPointVersion } from '../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { type DevChain, rpc, startDevChain } from '../../test/support/devChain.ts'
import { fleet, operation } from '../../test/support/fleet.ts'
import type { BundlerKind, RunningBundler } from './bundler.ts'
import { type CountingProxy, startCountingProxy } from './counting-proxy.ts'
import { type Inclusions, watchInclusions } from './inclusions.ts'
import { type Sent, sendAsFastAsItGoes, sendAtRate } from './load.ts'
import { type Cost, costOf } from './process-cost.ts'

export type LoadOptions = { version: EntryPointVersion; operations: number /** a second */; rate: number }

/** What is measured, from outside the process. Latencies in ms. */
export type Figures = {
  startSeconds: number
  /** as fast as it goes, 32 clients */
  acceptedPerSecond: number
  includedPerSecond: number
  /** at the fixed rate */
  acceptP50: number
  acceptP99: number
  inclusionP50: number
  inclusionP99: number
  /** over both phases */
  cpuMsPerOperation: number
  nodeCpuMsPerOperation: number
  nodeCallsPerOperation: number
  nodeRequestsPerOperation: number
  memoryMb: number
  /** accepted and not in a block a minute later, or refused */
  lost: number
}

/** Gas that an execution of a SimpleAccount surely fits into. */
const gas = { callGasLimit: 60_000n, verificationGasLimit: 100_000n, preVerificationGas: 70_000n }
/** ms without any inclusion after which the rest counts as lost */
const giveUp = 60_000

/** A fresh chain, a fresh bundler: first at a fixed rate, then as fast as it goes. */
export async function measureLoad(kind: BundlerKind, options: LoadOptions): Promise<Figures> {
  const chain = await startDevChain({ extraArguments: ['--gas-limit', '60000000'] })
  const accounts = await fleet(chain, options.version, options.operations)
  const sign = (nonce: bigint) =>
    Promise.all(accounts.map((account) => operation(chain, account, { ...gas, nonce })))
  const [paced, rushed] = [await sign(0n), await sign(1n)]
  await rpc(chain.url, 'evm_setIntervalMining', [1])
  const proxy = startCountingProxy(chain.url)
  const addresses = Object.values(entryPoints).map((entryPoint) => entryPoint.address)
  const bundler = await kind.start({
    nodeUrl: proxy.url,
    chainId: chain.chainId,
    port: await freePort(),
    entryPoints: addresses,
    keys: [anvilKeys[1], anvilKeys[2]],
  })
  const inclusions = watchInclusions(chain.url, addresses)
  try {
    return await drive({ chain, bundler, inclusions, proxy, paced, rushed, rate: options.rate })
  } finally {
    inclusions.stop()
    await bundler.stop()
    proxy.stop()
    await chain.stop()
  }
}

async function drive(setting: {
  chain: DevChain
  bundler: RunningBundler
  inclusions: Inclusions
  proxy: CountingProxy
  paced: readonly UserOperation[]
  rushed: readonly UserOperation[]
  rate: number
}): Promise<Figures> {
  const { chain, bundler, inclusions, proxy, paced, rushed, rate } = setting
  const costs = () => ({
    bundler: costOf(bundler.pid),
    node: costOf(chain.process.pid),
    calls: proxy.calls(),
    requests: proxy.requests(),
  })
  const before = costs()

  const atRate = await sendAtRate(bundler.url, paced, rate)
  await inclusions.reach(accepted(atRate), giveUp)
  const rushStart = performance.now()
  const rush = await sendAsFastAsItGoes(bundler.url, rushed)
  const rushAnswered = performance.now()
  await inclusions.reach(accepted(atRate) + accepted(rush), giveUp)

  const after = costs()
  const sent = [...atRate, ...rush]
  const lastInclusion = Math.max(...rush.map(({ hash }) => inclusions.at.get(hash ?? '0x') ?? rushAnswered))
  const perOperation = (from: Cost, to: Cost) => (to.cpuMs - from.cpuMs) / sent.length
  const latencies = sorted(atRate.map((one) => one.answeredAt - one.sentAt))
  const inclusionTimes = sorted(
    atRate.flatMap(({ hash, sentAt }) => {
      const at = hash && inclusions.at.get(hash)
      return at === undefined ? [] : [at - sentAt]
    }),
  )
  return {
    startSeconds: bundler.startSeconds,
    acceptedPerSecond: (accepted(rush) * 1000) / (rushAnswered - rushStart),
    includedPerSecond:
      (rush.filter(({ hash }) => hash && inclusions.at.has(hash)).length * 1000) /
      (lastInclusion - rushStart),
    acceptP50: quantile(latencies, 0.5),
    acceptP99: quantile(latencies, 0.99),
    inclusionP50: quantile(inclusionTimes, 0.5),
    inclusionP99: quantile(inclusionTimes, 0.99),
    cpuMsPerOperation: perOperation(before.bundler, after.bundler),
    nodeCpuMsPerOperation: perOperation(before.node, after.node),
    nodeCallsPerOperation: (after.calls - before.calls) / sent.length,
    nodeRequestsPerOperation: (after.requests - before.requests) / sent.length,
    memoryMb: after.bundler.memoryMb,
    lost: sent.filter(({ hash }) => hash === undefined || !inclusions.at.has(hash)).length,
  }
}

const accepted = (sent: readonly Sent[]): number => sent.filter(({ hash }) => hash !== undefined).length
const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b)
const quantile = (values: readonly number[], share: number): number =>
  values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN
