import { readFileSync } from 'node:fs'
import { anvilKeys, freePort } from '../../src/dev/anvil.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { rpc, startDevChain } from '../../test/support/devChain.ts'
import { scratch } from '../load/bundler.ts'
import { startCountingProxy } from '../load/counting-proxy.ts'
import { watchChain } from './chain-watch.ts'
import { judge, type Promised } from './promises.ts'
import { startSampler } from './samples.ts'
import { startService } from './service.ts'
import { drive, type Send } from './traffic.ts'
import { openWallets } from './wallets.ts'
import { type Window, windowOf, windowsOf } from './windows.ts'

export type SoakOptions = {
  minutes: number
  /** operations a second */
  rate: number
  /** Of a file or a server; its own file when `undefined`. */
  database: string | undefined
  binary: string | undefined
  /** Further flags of `tandem serve`. */
  flags: readonly string[]
}

export type SoakResult = { windows: readonly Window[]; promises: readonly Promised[]; log: string }

/** s until a wallet's turn comes again: longer than most inclusions take, so that few operations queue */
const turn = 15
/** min */
const windowLength = 5
/** ms without another inclusion after which the rest counts as lost */
const giveUp = 60_000
/** Of the node's past: more than the bundler looks back, and no more, so that the node lives for hours. */
const nodeFlags = ['--gas-limit', '60000000', '--prune-history', '128', '--transaction-block-keeper', '1200']

/** A steady load on a fresh chain, measured from outside; `tell` hears of every minute. */
export async function soak(options: SoakOptions, tell: (minute: Window) => void): Promise<SoakResult> {
  const { minutes, rate, database, binary, flags } = options
  const chain = await startDevChain({ extraArguments: nodeFlags })
  const wallets = await openWallets(chain, rate * turn)
  await rpc(chain.url, 'evm_setIntervalMining', [1])
  const proxy = startCountingProxy(chain.url)
  const { directory, remove } = scratch()
  const service = await startService({
    nodeUrl: proxy.url,
    chainId: chain.chainId,
    port: await freePort(),
    // one for each EntryPoint, so that none waits for another's bundle
    keys: anvilKeys.slice(1),
    ...{ binary, database, flags, directory },
  })
  const watch = await watchChain(
    chain.url,
    Object.values(entryPoints).map(({ address }) => address),
  )
  const { pid, file } = service
  const started = performance.now()
  const sampler = startSampler({ pid, nodePid: chain.process.pid, file, nodeCalls: proxy.calls })
  const sends: Send[] = []
  const measured = { started, sends, samples: sampler.samples, watch }
  let told = 0
  const progress = setInterval(() => tell(windowOf(measured, told, ++told)), 60_000)
  try {
    await drive({ rate, seconds: minutes * 60, url: service.url, wallets, sends }, { chain, watch })
    await watch.settle(
      () => sends.every(({ hash }) => hash === undefined || watch.included.has(hash)),
      giveUp,
    )
    sampler.stop()
    const exitCode = await service.end()
    await watch.stop()
    const isFileBounded = file !== undefined && flags.some((flag) => flag.startsWith('--history'))
    return {
      windows: windowsOf(measured, minutes, Math.min(windowLength, minutes / 6)),
      promises: judge({ ...measured, minutes, rate, exitCode, isFileBounded }),
      log: readFileSync(service.log, 'utf8'),
    }
  } finally {
    clearInterval(progress)
    sampler.stop()
    await service.stop()
    await watch.stop().catch(() => {})
    proxy.stop()
    await chain.stop()
    remove()
  }
}
