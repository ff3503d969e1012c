import type { AnyElysia } from 'elysia'
import { version } from '../../package.json'
import type { Context } from '../base/context.ts'
import type { ServiceSettings } from '../config/schemas/service.ts'
import { type AppOptions, createApp } from '../http/app.ts'
import type { ServedChain } from '../http/chains.ts'
import { type Listener, listen, PortInUse } from '../http/listen.ts'
import { createOperatorApp } from '../http/operator/app.ts'
import type { PaymasterService } from '../rpc/paymaster/service.ts'
import type { ChainInspector, ServiceReadiness } from '../types/ports/operator.ts'

/** The operator's listener is for this machine only. */
const operatorHost = '127.0.0.1'
/** Share of the time to stop that calls under way have to end; the rest is for bundles and the store. */
const drainShare = 0.3

export type Listeners = {
  url: string
  adminUrl: string | undefined
  /** Where the paymaster's paths begin; `undefined` without one. */
  paymasterUrl: string | undefined
  stop(): Promise<void>
}

/** Opens the public listener, and the operator's and the paymaster's if they have a port. @throws when a port is taken */
export function startListeners(
  settings: ServiceSettings & Pick<AppOptions, 'chainIds'>,
  modules: Context & {
    chains: ReadonlyMap<number, ServedChain>
    inspectors: ReadonlyMap<number, ChainInspector>
    readiness: () => Promise<ServiceReadiness>
    paymaster: PaymasterService | undefined
  },
): Listeners {
  const { host, port, adminPort, paymasterPort, chainIds, testing, corsOrigins } = settings
  const { trustedProxies, forwardingHeader, requireApiKey, paymasterHosts } = settings
  const { maxBodySize, maxBatch, maxWebSockets, maxSubscriptions, clientRate, clientBurst } = settings
  const { app, paymasterApp, closeSockets } = createApp(
    {
      ...{ chainIds, testing, corsOrigins, trustedProxies, forwardingHeader },
      ...{ requireApiKey, paymasterHosts },
      clientVersion: `tandem/${version}`,
      limits: { maxBodySize, maxBatch, maxWebSockets, maxSubscriptions, clientRate, clientBurst },
    },
    modules,
  )
  const opened: Listener[] = []
  const open = (flag: string, app: AnyElysia, place: { port: number; host: string }): string => {
    const listener = listenAs(flag, app, place)
    opened.push(listener)
    return listener.url
  }
  const drainMs = settings.shutdownTimeout * 1000 * drainShare
  try {
    const adminUrl =
      adminPort === undefined
        ? undefined
        : open('--admin-port', createOperatorApp(modules), { port: adminPort, host: operatorHost })
    const url = open('--port', app, { port, host })
    const ownUrl =
      paymasterPort === undefined || paymasterApp === undefined
        ? undefined
        : open('--paymaster-port', paymasterApp, { port: paymasterPort, host })
    const paymasterUrl = modules.paymaster && (ownUrl ?? `${url}/paymaster`)
    return {
      ...{ url, adminUrl, paymasterUrl },
      async stop() {
        closeSockets()
        await Promise.all(opened.map((listener) => listener.stop(drainMs)))
      },
    }
  } catch (error) {
    for (const listener of opened) void listener.stop(0)
    throw error
  }
}

function listenAs(flag: string, app: AnyElysia, options: { port: number; host: string }): Listener {
  try {
    return listen(app, options)
  } catch (error) {
    throw error instanceof PortInUse ? new Error(`${flag}: ${error.message}`) : error
  }
}
