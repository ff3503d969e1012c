import { collectRegularly } from '../src/base/collect.ts'
import { createLog } from '../src/base/log.ts'
import { createMetrics } from '../src/base/metrics.ts'
import { type Endpoint, Link } from '../src/base/threads.ts'
import { createSimulatorHost } from '../src/validation/simulator-host.ts'
import { simulatorLink } from '../src/validation/simulator-thread.ts'

declare const self: Endpoint

// The main thread's own client logs what goes on with a node; here only what nobody else sees is said.
const context = {
  log: createLog({ level: 'error' }).with({ thread: 'simulator' }),
  metrics: createMetrics(),
}

collectRegularly()
new Link(self, createSimulatorHost(context), simulatorLink)
