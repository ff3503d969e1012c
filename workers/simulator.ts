import { collectRegularly } from '../src/base/collect.ts'
import { createCountRelay } from '../src/base/count-relay.ts'
import { createLog } from '../src/base/log.ts'
import { createMetrics } from '../src/base/metrics.ts'
import { type Endpoint, Link } from '../src/base/threads.ts'
import { createSimulatorHost } from '../src/validation/simulator-host.ts'
import { type SimulatorOwner, simulatorLink } from '../src/validation/simulator-thread.ts'

declare const self: Endpoint

/** ms between reports of what was counted: metrics are looked at every ten seconds or so */
const reportInterval = 1_000

// The main thread's own client logs what goes on with a node; here only what nobody else sees is said.
const context = {
  log: createLog({ level: 'error' }).with({ thread: 'simulator' }),
  metrics: createMetrics(),
}

collectRegularly()
const { remote } = new Link<SimulatorOwner>(self, createSimulatorHost(context), simulatorLink)

const counted = createCountRelay(context.metrics)
setInterval(report, reportInterval)

/** A report that is not heard costs a count. */
function report(): void {
  void counted()
    .then((counts) => (counts.length === 0 ? undefined : remote.counted(counts)))
    .catch(() => {})
}
