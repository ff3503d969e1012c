import type { PrivateKeyAccount } from 'viem'
import { describe, Unavailable } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { persist } from '../../base/persist.ts'
import { KeyedMutex } from '../../base/queue.ts'
import type { BalanceReader } from '../../chain/balances.ts'
import type { BlockRef, FeeQuote } from '../../types/block.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type {
  OpenBundle,
  RelayerReport,
  RelayerView,
  Sender,
  SubmitterChain,
  SubmitterHost,
  SubmitterPort,
} from '../../types/ports/submitter.ts'
import { createBalanceWatch } from './balance-watch.ts'
import type { Book } from './book.ts'
import { followHead } from './follow.ts'
import { type Line, slotsOf, viewOf } from './line.ts'
import { createPerformer } from './perform.ts'
import { createLines, recoverLines } from './recover.ts'
import { reportOf } from './report.ts'
import type { Slot } from './slot.ts'
import { createSubmission } from './submit.ts'

/** ms until relayers that could not be told of a head are: a node's hiccup is over by then. */
const followPause = 1000

/** The relayers of one chain. */
export type ChainSubmitter = Pick<SubmitterPort, 'submit'> & {
  onHead(argument: Omit<Parameters<SubmitterPort['onHead']>[0], 'chainId'>): Promise<void>
  views(): readonly RelayerView[]
  report(): readonly RelayerReport[]
  /** The same, with lines that are only watched. */
  reportAll(): readonly RelayerReport[]
  /** What is not settled for good, in the order of nonces. */
  open(): readonly Slot[]
  /** The key of a line that was only watched: from now on it sends. */
  adopt(account: PrivateKeyAccount): void
  /** Ends what would happen later by itself. */
  close(): void
}

export type ChainModules = {
  node: NodeClient
  balances: BalanceReader
  sender: Sender
  host: SubmitterHost
  log: Log
  signal: AbortSignal
  now: () => number
}

/**
 * Takes up what the journal holds open; `depth` transactions of a line may wait for a block at once.
 * @throws Unavailable when the node cannot be asked: nothing was changed
 */
export async function openChain(
  { chain, journal, depth = 1 }: { chain: SubmitterChain; journal: readonly OpenBundle[]; depth?: number },
  modules: ChainModules,
): Promise<ChainSubmitter> {
  const { node, host, signal } = modules
  const { chainId } = chain
  const log = modules.log.with({ chain: chainId })
  const view = { head: await readHead(node), removed: [] }
  const book: Book = { chain, lines: createLines(chain, journal, { log, depth }), view }
  const exclusive = new KeyedMutex()
  const performer = createPerformer(chain, { ...modules, log, view: () => book.view })
  const helpers = { ...modules, log, performer, exclusive, publish }
  const submission = createSubmission(book, helpers)
  const watch = createBalanceWatch(book, modules)
  let published: readonly RelayerView[] = []
  /** Lines that the newest head means something for that they were not told yet, and the fees that came with it. */
  const missed = new Set<Line>()
  let newestFees: FeeQuote | undefined
  let again: Timer | undefined
  let closed = false

  await recoverLines(book, journal, helpers)
  await publish()
  return {
    submit: (order) =>
      exclusive.run(order.relayer, () => submission.submit(order)).finally(() => void followMissed()),
    onHead: (argument) => exclusive.run('heads', () => onHead(argument)),
    views,
    report: () => reportsOf(configured()),
    reportAll: () => reportsOf([...book.lines.values()]),
    open: () => [...book.lines.values()].flatMap(slotsOf),
    adopt(account) {
      const line = book.lines.get(account.address)
      if (line !== undefined) line.account = account
    },
    close() {
      closed = true
      clearTimeout(again)
      submission.close()
    },
  }

  function configured(): readonly Line[] {
    return [...book.lines.values()].filter(({ account }) => account !== undefined)
  }

  function reportsOf(lines: readonly Line[]): readonly RelayerReport[] {
    return lines.map((line) => reportOf(line, chain.minSignerBalance))
  }

  function views(): readonly RelayerView[] {
    return configured().map((line) => viewOf(line, chain.minSignerBalance))
  }

  async function publish(): Promise<void> {
    const relayers = views()
    if (Bun.deepEquals(relayers, published)) return
    published = relayers
    await persist('tell the relayers', () => host.relayersChanged({ chainId, relayers }), { signal, log })
  }

  async function onHead({ head, removed, fees }: Parameters<ChainSubmitter['onHead']>[0]): Promise<void> {
    book.view = { head: { number: head.number, hash: head.hash }, removed }
    newestFees = fees
    for (const line of book.lines.values()) {
      missed.add(line)
      if (removed.length > 0) line.lookAtMined = true
    }
    await follow(fees)
  }

  /** Where blocks come on demand the next head may wait for the very relayers that missed this one. */
  async function followMissed(): Promise<void> {
    if (missed.size === 0 || newestFees === undefined || closed) return
    const fees = newestFees
    try {
      await exclusive.run('heads', () => follow(fees))
    } catch (error) {
      log.warn('relayers not told of', { error: describe(error) })
    }
  }

  async function follow(fees: FeeQuote): Promise<void> {
    clearTimeout(again)
    const lines = [...missed]
    missed.clear()
    try {
      for (const line of await followHead(book, { lines, fees }, helpers)) missed.add(line)
      await watch.look()
    } catch (error) {
      for (const line of lines) missed.add(line)
      log.warn('relayers not followed', { block: book.view.head.number, error: describe(error) })
    }
    if (missed.size > 0 && !closed) again = setTimeout(() => void followMissed(), followPause)
    await publish()
  }
}

/** The newest block. @throws Unavailable */
export async function readHead(node: NodeClient): Promise<BlockRef> {
  const block = await node.request<{ number: string; hash: BlockRef['hash'] } | null>(
    'eth_getBlockByNumber',
    ['latest', false],
  )
  if (block === null) throw new Unavailable('the node has no newest block')
  return { number: Number(block.number), hash: block.hash }
}
