import { version } from '../../package.json'
import type { Context } from '../base/context.ts'
import type { ServiceSettings } from '../config/schema.ts'
import { createApp } from '../http/app.ts'
import type { ServedChain } from '../http/chains.ts'
import { listen } from '../http/listen.ts'
import { createOperatorApp } from '../http/operator.ts'
import type { Readiness } from '../types/ports/bundler.ts'

/** The operator's listener is for this machine only. */
const operatorHost = '127.0.0.1'
/** Share of the time to stop that calls under way have to end; the rest is for bundles and the store. */
const drainShare = 0.3

export type Listeners = { url: string; adminUrl: string | undefined; stop(): Promise<void> }

/** Opens the public listener, and the operator's if it has a port. @throws when a port is taken */
export function startListeners(
  settings: ServiceSettings & { chainCount: number },
  modules: Context & { chains: ReadonlyMap<number, ServedChain>; readiness: () => Promise<Readiness> },
): Listeners {
  const { adminPort, chainCount, testing, corsOrigins, trustedProxies, forwardingHeader } = settings
  const { maxBodySize, maxBatch, maxWebSockets, maxSubscriptions, clientRate, clientBurst } = settings
  const { app, closeSockets } = createApp(
    {
      ...{ chainCount, testing, corsOrigins, trustedProxies, forwardingHeader },
      clientVersion: `tandem/${version}`,
      publicMetrics: adminPort === undefined,
      limits: { maxBodySize, maxBatch, maxWebSockets, maxSubscriptions, clientRate, clientBurst },
    },
    modules,
  )
  const listener = listen(app, settings)
  const operator =
    adminPort === undefined
      ? undefined
      : listen(createOperatorApp(modules), { port: adminPort, host: operatorHost })
  const drainMs = settings.shutdownTimeout * 1000 * drainShare
  return {
    url: listener.url,
    adminUrl: operator?.url,
    async stop() {
      closeSockets()
      await Promise.all([listener.stop(drainMs), operator?.stop(drainMs)])
    },
  }
}
