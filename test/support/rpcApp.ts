import type { Json } from '../../src/base/errors.ts'
import { createLog } from '../../src/base/log.ts'
import { createMetrics } from '../../src/base/metrics.ts'
import { type AppOptions, createApp } from '../../src/http/app.ts'
import type { ServedChain } from '../../src/http/chains.ts'
import type { PaymasterService } from '../../src/rpc/paymaster/service.ts'
import type { BundlerPort } from '../../src/types/ports/bundler.ts'

type Overrides = Partial<Omit<AppOptions, 'limits'>> & {
  paymaster?: PaymasterService
  limits?: Partial<AppOptions['limits']>
  chains?: readonly ServedChain[]
  redirectRpc?: boolean
  readiness?: () => Promise<{ ready: boolean }>
}

/** The public server over a faked bundler, with what it logs. */
export function rpcApp(bundler: BundlerPort, overrides: Overrides = {}) {
  const { limits, chains, redirectRpc = true, readiness, paymaster, ...options } = overrides
  const lines: string[] = []
  const metrics = createMetrics()
  const served = new Map<number, ServedChain>()
  for (const chain of chains ?? [{ bundler, redirectRpc, hosts: [] }])
    served.set(chain.bundler.chainId, chain)
  const { app, paymasterApp, closeSockets } = createApp(
    {
      chainIds: [...served.keys()],
      testing: false,
      clientVersion: 'tandem/1.2.3',
      corsOrigins: ['*'],
      trustedProxies: [],
      forwardingHeader: 'x-forwarded-for',
      requireApiKey: false,
      paymasterHosts: [],
      ...options,
      limits: {
        maxBodySize: 1024 * 1024,
        maxBatch: 100,
        maxWebSockets: 10,
        maxSubscriptions: 10,
        clientRate: 0,
        clientBurst: 1,
        ...limits,
      },
    },
    {
      log: createLog({ level: 'debug', write: (line) => lines.push(line) }),
      metrics,
      chains: served,
      readiness: readiness ?? (async () => ({ ready: true })),
      paymaster,
    },
  )

  async function post(body: string | object, path = '/v1/1337/', headers: Record<string, string> = {}) {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const request = new Request(`http://localhost${path}`, { method: 'POST', body: text, headers })
    return app.handle(request)
  }

  return {
    app,
    paymasterApp,
    /** May be added to. */
    chains: served,
    closeSockets,
    lines,
    metrics,
    post,
    /** One call; the whole answer. */
    async call(method: string, params: readonly Json[] = []): Promise<Answer> {
      const response = await post({ jsonrpc: '2.0', id: 1, method, params })
      return (await response.json()) as Answer
    },
  }
}

export type Answer = {
  jsonrpc?: string
  id?: Json
  result?: Json
  error?: { code: number; message: string; data?: { [field: string]: Json } }
}
