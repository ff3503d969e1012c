import { readFileSync } from 'node:fs'
import { anvilKeys, freePort } from '../../src/dev/anvil.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { rpc, startDevChain } from '../../test/support/devChain.ts'
import { scratch } from '../load/bundler.ts'
import { startCountingProxy } from '../load/counting-proxy.ts'
import { waitsOf } from './blocks.ts'
import { type ChainWatch, watchChain } from './chain-watch.ts'
import { openHostiles } from './hostile.ts'
import { judge, type Promised } from './promises.ts'
import { startSampler } from './samples.ts'
import { startService } from './service.ts'
import { drive, inclusionsOf, isAccepted, type Send } from './traffic.ts'
import { openWallets } from './wallets.ts'
import { type Window, windowOf, windowsOf } from './windows.ts'

export type SoakOptions = {
  minutes: number
  /** operations a second */
  rate: number
  /** Share of the operations that are not valid, 0 to 1. */
  hostile: number
  /** MiB, after which the database forgets what is oldest */
  history: number
  /** Of a file or a server; its own file when `undefined`. */
  database: string | undefined
  binary: string | undefined
  /** Further flags of `tandem serve`. */
  flags: readonly string[]
}

export type SoakResult = {
  windows: readonly Window[]
  promises: readonly Promised[]
  sends: readonly Send[]
  watch: Pick<ChainWatch, 'included'>
  log: string
}

/** s until a wallet's turn comes again: longer than most inclusions take, so that few operations queue */
const turn = 15
/** min */
const windowLength = 5
/** s; how long valid operations are sent alone before hostile ones come, at most */
const longestControl = 60
/** ms without another inclusion after which the rest counts as lost */
const giveUp = 60_000
/** Of the node's past: more than the bundler looks back, and no more, so that the node lives for hours. */
const nodeFlags = ['--gas-limit', '60000000', '--prune-history', '128', '--transaction-block-keeper', '1200']

/** A steady load on a fresh chain, measured from outside; `tell` hears of every minute. */
export async function soak(options: SoakOptions, tell: (minute: Window) => void): Promise<SoakResult> {
  const { minutes, rate, hostile, history, database, binary } = options
  const seconds = minutes * 60
  await using ends = new AsyncDisposableStack()
  const chain = ends.adopt(await startDevChain({ extraArguments: nodeFlags }), (one) => one.stop())
  const wallets = await openWallets(chain, rate * turn)
  const hostiles = await openHostiles(chain)
  await rpc(chain.url, 'evm_setIntervalMining', [1])
  const proxy = ends.adopt(startCountingProxy(chain.url), (one) => one.stop())
  const { directory, remove } = scratch()
  ends.defer(remove)
  const service = await startService({
    nodeUrl: proxy.url,
    chainId: chain.chainId,
    port: await freePort(),
    // one for each EntryPoint, so that none waits for another's bundle
    keys: anvilKeys.slice(1),
    ...{ binary, database, directory, flags: ['--history-size', String(history), ...options.flags] },
  })
  ends.defer(service.stop)
  const addresses = Object.values(entryPoints).map(({ address }) => address)
  const watch = ends.adopt(await watchChain(chain.url, addresses), (one) => one.stop().catch(() => {}))
  const modules = { chain, watch, wallets, hostiles }
  const { pid, file, url } = service
  const undisturbed = hostile > 0 ? await waitAlone() : undefined

  const started = performance.now()
  const sampler = startSampler({ pid, nodePid: chain.process.pid, file, nodeCalls: proxy.calls })
  ends.defer(sampler.stop)
  const sends: Send[] = []
  const measured = { started, sends, samples: sampler.samples, watch }
  let told = 0
  const progress = setInterval(() => tell(windowOf(measured, told, ++told)), 60_000)
  ends.defer(() => clearInterval(progress))

  await drive({ rate, seconds, hostile, url, sends }, modules)
  await settled(sends)
  sampler.stop()
  const exitCode = await service.end()
  await watch.stop()
  return {
    windows: windowsOf(measured, minutes, Math.min(windowLength, minutes / 6)),
    promises: judge({ ...measured, minutes, rate, exitCode, history, undisturbed }),
    ...{ sends, watch },
    log: readFileSync(service.log, 'utf8'),
  }

  /** The valid share of the load, without the rest. */
  async function waitAlone() {
    const sends: Send[] = []
    const length = Math.min(seconds, longestControl)
    await drive({ rate: rate * (1 - hostile), seconds: length, hostile: 0, url, sends }, modules)
    await settled(sends)
    return waitsOf(sends, watch)
  }

  /** Resolves when all that must be included is. */
  function settled(sends: readonly Send[]): Promise<void> {
    const due = sends.filter(
      (send) => (send.kind === 'valid' || send.kind === 'replaced') && isAccepted(send),
    )
    return watch.settle(() => due.every((send) => inclusionsOf(send, watch.included).length > 0), giveUp)
  }
}
