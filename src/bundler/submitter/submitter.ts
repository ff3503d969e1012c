import { Unavailable } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { withDeadline } from '../../base/queue.ts'
import { createBalanceReader } from '../../chain/balances.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { SubmitterHost, SubmitterPort } from '../../types/ports/submitter.ts'
import type { WalletsPort } from '../../types/ports/wallets.ts'
import { type ChainAccounts, openAccounts } from './accounts.ts'
import { openSender } from './senders/open-sender.ts'

/** ms that a stop waits for what is being signed or sent: a node's timeout, twice. What is cut off is in the journal. */
const drainDeadline = 20_000

type Modules = {
  host: SubmitterHost
  log: Log
  now: () => number
  /** A client for these nodes; the submitter closes it. */
  connect(options: {
    chainId: number
    urls: readonly string[]
    timeoutMs: number
    maxLag: number
  }): NodeClient
  /** ms that a relay has for an answer */
  relayTimeoutMs: number
}

/** A submitter in this thread. `stop` lets go of everything without waiting; `drain` first. */
export type RunningSubmitter = SubmitterPort & WalletsPort & { stop(): Promise<void> }

/** Owner of the relayers of all chains. */
export function createSubmitter({ host, log, now, connect, relayTimeoutMs }: Modules): RunningSubmitter {
  const stopped = new AbortController()
  const chains = new Map<number, Promise<ChainAccounts>>()
  const clients: { close(): void | Promise<void> }[] = []
  const running = new Set<Promise<void>>()
  let draining = false

  return {
    open: (argument) => tracked(open(argument).then((chain) => chain.views())),
    submit: (order) => tracked(chainOf(order.chainId).then((chain) => chain.submit(order))),
    openWallet: ({ chainId, key }) => chainOf(chainId).then((chain) => chain.wallets.open(key)),
    sendFromWallet: (order) => tracked(chainOf(order.chainId).then((chain) => chain.wallets.send(order))),
    async onHead({ chainId, ...argument }) {
      if (!draining) await tracked(chainOf(chainId).then((chain) => chain.onHead(argument)))
    },
    report: ({ chainId }) => chainOf(chainId).then((chain) => chain.report()),
    async drain() {
      draining = true
      await withDeadline(
        Promise.all([closeChains(), ...running]),
        drainDeadline,
        () => new Unavailable('transactions were still being sent'),
      )
    },
    async stop() {
      draining = true
      stopped.abort()
      await closeChains()
      await Promise.all(clients.map((client) => client.close()))
    },
  }

  /** Once a chain: a caller that did not wait for the answer and asks again gets that of the first time. */
  function open(argument: Parameters<SubmitterPort['open']>[0]): Promise<ChainAccounts> {
    const { chainId } = argument.chain
    const opening = chains.get(chainId) ?? openNow(argument)
    chains.set(chainId, opening)
    opening.catch(() => chains.delete(chainId))
    return opening
  }

  async function openNow({ chain, journal }: Parameters<SubmitterPort['open']>[0]): Promise<ChainAccounts> {
    const { chainId, nodeUrls, nodeTimeout: timeoutMs, maxNodeLag: maxLag } = chain
    const options = { chainId, timeoutMs, maxLag }
    const chainLog = log.with({ chain: chainId })
    const node = connect({ ...options, urls: nodeUrls })
    const sending = openSender(chain.relaying, {
      ...{ node, relayTimeoutMs, log: chainLog },
      connect: (url) => connect({ ...options, urls: [url] }),
    })
    try {
      const balances = createBalanceReader(chain, { node, log: chainLog })
      const modules = { node, balances, sender: sending.sender, host, log, now, signal: stopped.signal }
      const opened = await openAccounts({ chain, journal }, modules)
      clients.push(node, sending)
      return opened
    } catch (error) {
      await Promise.all([node.close(), sending.close()])
      throw error
    }
  }

  async function closeChains(): Promise<void> {
    for (const opened of await Promise.allSettled(chains.values())) {
      if (opened.status === 'fulfilled') opened.value.close()
    }
  }

  async function chainOf(chainId: number): Promise<ChainAccounts> {
    if (draining) throw new Unavailable('the submitter is stopping')
    const chain = chains.get(chainId)
    if (chain === undefined) throw new Unavailable(`chain ${chainId} is not open`)
    return chain
  }

  function tracked<T>(work: Promise<T>): Promise<T> {
    const entry = work.then(
      () => {},
      () => {},
    )
    running.add(entry)
    void entry.finally(() => running.delete(entry))
    return work
  }
}
