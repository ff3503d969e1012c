import { WorkQueue } from '../base/queue.ts'
import type { BundlerPort } from '../types/ports/bundler.ts'
import { createStateFeed, type StateFeed } from './feed.ts'

/** One chain as JSON-RPC serves it, with the budgets that its callers share. */
export type RpcChain = {
  bundler: BundlerPort
  /** Standard methods are passed through to the node. */
  redirectRpc: boolean
  feed: StateFeed
  /** Calls passed through to the node. */
  nodeBudget: WorkQueue
  /** Simulations that change nothing: estimates, explanations, withdrawals. */
  trialBudget: WorkQueue
  /** Calls of eth_sendUserOperationSync that wait for inclusion. */
  syncBudget: WorkQueue
}

/** At most so many passed-through calls are at the node at once: enough for a page of wallets, few beside our own reads. */
const nodeConcurrency = 32
/** So many more may wait: at some 10 ms a call they are through in well under a second. */
const nodeWaiting = 512
/** At most so many trials at once: enough to keep the simulators at work, few beside what is being sent. */
const trialConcurrency = 16
/** So many more may wait: at some 20 ms a trial they are through in about a second. */
const trialWaiting = 512
/** Each waiting caller holds a connection open and little else. */
const syncWaits = 1000
/** ms */
const retryAfterMs = 1000

export function createRpcChain(
  options: { redirectRpc: boolean },
  modules: { bundler: BundlerPort },
): RpcChain {
  const { bundler } = modules
  return {
    bundler,
    redirectRpc: options.redirectRpc,
    feed: createStateFeed(bundler),
    nodeBudget: new WorkQueue({ concurrency: nodeConcurrency, capacity: nodeWaiting, retryAfterMs }),
    trialBudget: new WorkQueue({ concurrency: trialConcurrency, capacity: trialWaiting, retryAfterMs }),
    syncBudget: new WorkQueue({ concurrency: syncWaits, capacity: 0, retryAfterMs }),
  }
}
