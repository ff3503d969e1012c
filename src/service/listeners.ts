import type { AnyElysia } from 'elysia'
import { version } from '../../package.json'
import type { Context } from '../base/context.ts'
import type { ServiceSettings } from '../config/schema.ts'
import { createApp } from '../http/app.ts'
import type { ServedChain } from '../http/chains.ts'
import { type Listener, listen, PortInUse } from '../http/listen.ts'
import { createOperatorApp } from '../http/operator/app.ts'
import type { ChainInspector, ServiceReadiness } from '../types/ports/operator.ts'

/** The operator's listener is for this machine only. */
const operatorHost = '127.0.0.1'
/** Share of the time to stop that calls under way have to end; the rest is for bundles and the store. */
const drainShare = 0.3

export type Listeners = { url: string; adminUrl: string | undefined; stop(): Promise<void> }

/** Opens the public listener, and the operator's if it has a port. @throws when a port is taken */
export function startListeners(
  settings: ServiceSettings & { chainCount: number },
  modules: Context & {
    chains: ReadonlyMap<number, ServedChain>
    inspectors: ReadonlyMap<number, ChainInspector>
    readiness: () => Promise<ServiceReadiness>
  },
): Listeners {
  const { adminPort, chainCount, testing, corsOrigins, trustedProxies, forwardingHeader } = settings
  const { maxBodySize, maxBatch, maxWebSockets, maxSubscriptions, clientRate, clientBurst } = settings
  const { app, closeSockets } = createApp(
    {
      ...{ chainCount, testing, corsOrigins, trustedProxies, forwardingHeader },
      clientVersion: `tandem/${version}`,
      requireApiKey: false,
      paymasterHosts: [],
      limits: { maxBodySize, maxBatch, maxWebSockets, maxSubscriptions, clientRate, clientBurst },
    },
    { ...modules, paymaster: undefined },
  )
  const operator =
    adminPort === undefined
      ? undefined
      : listenAs('--admin-port', createOperatorApp(modules), { port: adminPort, host: operatorHost })
  let listener: Listener
  try {
    listener = listenAs('--port', app, settings)
  } catch (error) {
    void operator?.stop(0)
    throw error
  }
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

function listenAs(flag: string, app: AnyElysia, options: { port: number; host: string }): Listener {
  try {
    return listen(app, options)
  } catch (error) {
    throw error instanceof PortInUse ? new Error(`${flag}: ${error.message}`) : error
  }
}
