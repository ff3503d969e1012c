import { collectRegularly } from '../src/base/collect.ts'
import { createLog } from '../src/base/log.ts'
import { createMetrics } from '../src/base/metrics.ts'
import { deferred } from '../src/base/queue.ts'
import { type Endpoint, type Handlers, Link } from '../src/base/threads.ts'
import { createSubmitter, type RunningSubmitter } from '../src/bundler/submitter/submitter.ts'
import { type SubmitterHandlers, submitterLink } from '../src/bundler/submitter/thread.ts'
import { createNodeClient } from '../src/chain/client.ts'
import type { SubmitterHost } from '../src/types/ports/submitter.ts'

declare const self: Endpoint

/** ms; a relay's answer promises nothing, so it is not worth a long wait: the bundle is sent again at the next head. */
const relayTimeoutMs = 3000

const submitter = deferred<RunningSubmitter>()

const handlers: SubmitterHandlers = {
  configure({ logLevel }) {
    const context = {
      log: createLog({ level: logLevel }).with({ thread: 'submitter' }),
      metrics: createMetrics(),
    }
    const running = createSubmitter({
      host: link.remote,
      log: context.log,
      now: Date.now,
      relayTimeoutMs,
      connect: (nodes) => createNodeClient(nodes, context),
    })
    submitter.resolve(running)
  },
  open: async (argument) => (await submitter.promise).open(argument),
  submit: async (order) => (await submitter.promise).submit(order),
  openWallet: async (argument) => (await submitter.promise).openWallet(argument),
  sendFromWallet: async (order) => (await submitter.promise).sendFromWallet(order),
  onHead: async (argument) => (await submitter.promise).onHead(argument),
  report: async (argument) => (await submitter.promise).report(argument),
  drain: async (argument) => (await submitter.promise).drain(argument),
}

collectRegularly()
const link = new Link<SubmitterHost & Handlers>(self, handlers, submitterLink)
