import { collectRegularly } from '../base/collect.ts'
import type { Context } from '../base/context.ts'
import type { Shutdown } from '../base/shutdown.ts'
import type { Bundler } from '../bundler/bundler.ts'
import { startSubmitterThread } from '../bundler/submitter/thread.ts'
import type { ServiceSettings } from '../config/schemas/service.ts'
import type { GivenChainSettings } from '../config/with-preset.ts'
import type { ServedChain } from '../http/chains.ts'
import type { Tenants } from '../paymaster/tenants/tenants.ts'
import type { Store } from '../store/protocol.ts'
import { startStoreThread } from '../store/thread.ts'
import type { ChainInspector } from '../types/ports/operator.ts'
import { startSimulators } from '../validation/simulators.ts'
import { createAlerts, openWebhook } from './alerts.ts'
import { startChain } from './chain.ts'
import { ChainError } from './entrypoints.ts'
import { keepHistory } from './history.ts'
import { hostFor } from './host.ts'
import { startListeners } from './listeners.ts'
import { openPaymasters, type Paymasters } from './paymaster/service.ts'
import { readinessOf } from './readiness.ts'
import { createReadinessAlarm, watchReadiness } from './readiness-alarm.ts'
import { storeOptions } from './store-options.ts'

export type Service = {
  /** Where clients reach it. */
  url: string
  adminUrl: string | undefined
  /** Where the paymaster's paths begin; `undefined` without one. */
  paymasterUrl: string | undefined
  bundlers: ReadonlyMap<number, Bundler>
  /** Whoever has an API key; `undefined` without a paymaster. */
  tenants: Tenants | undefined
}

/**
 * Starts everything in the order in which it depends on one another; `shutdown` undoes it in reverse. Resolves when
 * every chain is served.
 * @throws ChainError, the reason of a stop that was asked for meanwhile, or what the database or the listener failed with
 */
export async function startService(
  settings: { service: ServiceSettings; chains: readonly GivenChainSettings[] },
  modules: Context & { shutdown: Shutdown; onFatal: (error: Error) => void },
): Promise<Service> {
  const { log, metrics, shutdown, onFatal } = modules
  const { service, chains } = settings
  const context = { log, metrics }
  const bundlers = new Map<number, Bundler>()
  const served = new Map<number, ServedChain>()
  const fatal = { ...context, onFatal }

  shutdown.onStop('collection', collectRegularly())
  const store = await startStoreThread(storeOptions(service, chains), { ...fatal, signal: shutdown.signal })
  shutdown.onStop('store', () => store.close(undefined))
  shutdown.signal.throwIfAborted()
  shutdown.onStop('history', keepHistory({ ...context, store, now: Date.now }))
  const paymasters = await openPaymastersOf(service, { ...context, store, shutdown })
  shutdown.signal.throwIfAborted()
  const submitter = await startSubmitterThread(
    { logLevel: service.logLevel },
    hostFor({ bundlers, wallets: paymasters?.walletEars ?? new Map() }, store, log),
    fatal,
  )
  shutdown.onStop('submitter', () => submitter.stop())
  shutdown.signal.throwIfAborted()
  const simulators = await startSimulators({ count: service.simulators }, context)
  shutdown.onStop('simulators', () => simulators.stop())

  shutdown.signal.throwIfAborted()

  let starting = true
  const inspectors = new Map<number, ChainInspector>()
  const readiness = readinessOf({ inspectors, store, isStarting: () => starting })
  const alerts = createAlerts({
    ...context,
    webhook: openWebhook(service, context, shutdown.signal),
    now: Date.now,
  })
  shutdown.onStop(
    'readiness alarm',
    watchReadiness(readiness, createReadinessAlarm({ alerts, now: Date.now })),
  )
  const listeners = startListeners(
    { ...service, chainIds: chains.map(({ chainId }) => chainId) },
    { ...context, chains: served, inspectors, readiness, paymaster: paymasters?.service },
  )
  const stops: (() => Promise<void>)[] = []
  shutdown.onStop('drain submitter', () => submitter.drain(undefined))
  shutdown.onStop('chains', async () => {
    await Promise.all(stops.map((stop) => stop()))
  })
  // Last in, first out: no new request reaches what is being taken down.
  shutdown.onStop('listeners', listeners.stop)
  await Promise.all(
    chains.map((chain) =>
      startChain(
        { ...chain, testing: service.testing },
        {
          ...{ ...context, store, simulators, submitter, alerts, paymasters, signal: shutdown.signal },
          onBundler(bundler, stop) {
            if (bundlers.has(bundler.chainId))
              throw new ChainError(
                `chain ${bundler.chainId} is configured twice: a relayer has one nonce line`,
              )
            bundlers.set(bundler.chainId, bundler)
            inspectors.set(bundler.chainId, bundler.inspect)
            stops.push(stop)
          },
          onServed: (bundler) => served.set(bundler.chainId, { ...chain, bundler }),
          now: Date.now,
        },
      ),
    ),
  )
  starting = false
  const { url, adminUrl, paymasterUrl } = listeners
  return { url, adminUrl, paymasterUrl, bundlers, tenants: paymasters?.tenants }
}

/** @throws WrongMasterKey */
async function openPaymastersOf(
  { masterKey }: ServiceSettings,
  modules: Context & { store: Store; shutdown: Shutdown },
): Promise<Paymasters | undefined> {
  if (masterKey !== undefined) return openPaymasters({ masterKey }, { ...modules, now: Date.now })
  if ((await modules.store.tenants(undefined)).length > 0)
    modules.log.warn('the database has API keys, but there is no masterKey: the paymaster is off')
  return undefined
}
