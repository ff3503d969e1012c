import type { Context } from '../base/context.ts'
import { persist } from '../base/persist.ts'
import { type Bundler, createBundler } from '../bundler/bundler.ts'
import { createNodeClient, detectChainId } from '../chain/client.ts'
import { isCanonical, readEvents, readReceipts, scanEvents } from '../chain/events.ts'
import { createFeeOracle } from '../chain/fees.ts'
import { createHeadFollower } from '../chain/head.ts'
import { parseHeader, type RpcHeader } from '../chain/header.ts'
import type { ChainSettings } from '../config/schema.ts'
import { createPool } from '../pool/pool.ts'
import { entryPoints } from '../types/entrypoint.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import type { StorePort } from '../types/ports/store.ts'
import type { SubmitterChain, SubmitterPort } from '../types/ports/submitter.ts'
import type { Simulators } from '../validation/simulators.ts'
import { deployedVersions, servedVersions } from './entrypoints.ts'
import { openExplorer } from './explorer.ts'
import { rulesOf } from './rules.ts'

type Modules = Context & {
  store: StorePort
  simulators: Simulators
  submitter: SubmitterPort
  /** The service stops. */
  signal: AbortSignal
  /** Called before anything may happen to the bundler, so that events find it; with what stops the chain. */
  onBundler: (bundler: Bundler, stop: () => Promise<void>) => void
  /** From now on clients may reach it. */
  onServed: (bundler: Bundler) => void
  now: () => number
}

/**
 * Brings one chain to service: its past restored, missed blocks indexed, bundling. Waits for its nodes as long as
 * it takes. @throws ChainError when it cannot be served as configured
 */
export async function startChain(
  settings: ChainSettings & { testing: boolean },
  modules: Modules,
): Promise<Bundler> {
  const { store, simulators, submitter, signal, now } = modules
  const waiting = { signal, log: modules.log }
  const timeouts = { timeoutMs: settings.nodeTimeout }
  const chainId =
    settings.chainId ??
    (await persist('ask chain id', () => detectChainId(settings.rpcUrl, timeouts), waiting))
  const log = modules.log.with({ chain: chainId })
  const context = { log, metrics: modules.metrics }
  const node = createNodeClient({ chainId, urls: settings.rpcUrl, ...timeouts }, context)
  const deployed = await persist('look for EntryPoints', () => deployedVersions(node), waiting)
  const versions = servedVersions(settings, deployed)
  const open = withoutSecrets(settings)

  const heads = createHeadFollower(
    {
      ...open,
      chainId,
      catchUp: settings.receiptLookupRange,
      webSocketUrl: settings.rpcUrl.find((url) => url.startsWith('ws')),
    },
    { ...context, client: node },
  )
  const pools = new Map(versions.map((version) => [version, createPool({ ...open, version })]))
  const addresses = versions.map((version) => entryPoints[version].address)
  const nodeFees = createFeeOracle(open, { client: node, heads })
  const explorer = openExplorer(settings, { ...context, ...{ chainId, entryPoints: addresses, node, now } })
  const fees = explorer?.feesWith(nodeFees) ?? nodeFees
  const bundler = createBundler(
    { ...open, chainId, versions },
    {
      ...context,
      ...{ node, heads, fees, pools, submitter, store, now },
      signal,
      simulator: simulators,
      rules: rulesOf(settings),
      reads: {
        events: (block) => readEvents({ block, entryPoints: addresses }, node),
        receipts: (transactions) => readReceipts(transactions, node),
        isCanonical: (block) => isCanonical(block, node),
        scan: (query) => scanEvents(query, node),
        older: explorer?.history,
      },
    },
  )
  modules.onBundler(bundler, async () => {
    await heads.stop()
    await bundler.stop()
    explorer?.close()
    await node.close()
  })
  await simulators.open({ chainId, nodeUrls: settings.rpcUrl, ...timeouts })

  const journal = await store.openBundles({ chainId })
  await persist('restore operations', async () => bundler.recover(await latestBlock(node), journal), waiting)
  const relayers = await persist(
    'recover transactions',
    () => submitter.open({ chain: { ...submitterChain(settings), chainId }, journal }),
    waiting,
  )
  bundler.onRelayers(relayers)
  const known = await store.indexedBlocks({ chainId, limit: settings.reorgDepth })
  heads.onChange(bundler.onHead)
  await persist('follow the chain', () => heads.start(known.toReversed()), waiting)
  signal.throwIfAborted()
  bundler.start()
  modules.onServed(bundler)
  log.info('chain is served', { versions, relayers: relayers.map((relayer) => relayer.address) })
  return bundler
}

/** Keys and URLs go to who uses them, by name; everybody else learns only that there are some. */
function withoutSecrets({
  relayerKeys: _keys,
  rpcUrl: _url,
  rpcEndpointSubmit,
  explorerApiKey,
  explorerUrl: _explorer,
  ...open
}: ChainSettings & { testing: boolean }) {
  return {
    ...open,
    rpcEndpointSubmit: rpcEndpointSubmit !== undefined,
    explorerApiKey: explorerApiKey !== undefined,
  }
}

function submitterChain(settings: ChainSettings): Omit<SubmitterChain, 'chainId'> {
  const {
    rpcUrl,
    rpcEndpointSubmit,
    relayerKeys,
    minSignerBalance,
    reorgDepth,
    maxFeeCeiling,
    replaceAfterBlocks,
  } = settings
  return {
    ...{ relayerKeys, minSignerBalance, reorgDepth, maxFeeCeiling, replaceAfterBlocks },
    nodeUrls: rpcUrl,
    submitUrl: rpcEndpointSubmit,
  }
}

async function latestBlock(node: NodeClient) {
  return parseHeader(await node.request<RpcHeader>('eth_getBlockByNumber', ['latest', false]))
}
