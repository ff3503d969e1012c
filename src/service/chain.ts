import type { Context } from '../base/context.ts'
import { describe } from '../base/errors.ts'
import { persist } from '../base/persist.ts'
import { type Bundler, createBundler } from '../bundler/bundler.ts'
import { createNodeClient, detectChainId } from '../chain/client.ts'
import { createDataFeeOracle, detectDataFee } from '../chain/data-fee/oracle.ts'
import { isCanonical, LogsPruned, readEvents, readReceipts } from '../chain/events.ts'
import { createFeeOracle } from '../chain/fees.ts'
import { createHeadFollower } from '../chain/head.ts'
import { parseHeader, type RpcHeader } from '../chain/header.ts'
import { createEventScan } from '../chain/scan.ts'
import { sizeProblems } from '../config/incoherences.ts'
import type { ChainSettings } from '../config/schemas/chain.ts'
import { topUpsOf } from '../config/top-ups.ts'
import { describePreset, type GivenChainSettings, withPreset } from '../config/with-preset.ts'
import { createPool } from '../pool/pool.ts'
import type { Store } from '../store/protocol.ts'
import type { BlockRef } from '../types/block.ts'
import { entryPoints } from '../types/entrypoint.ts'
import { fundingPeriod } from '../types/funding.ts'
import type { Alerts } from '../types/ports/alerts.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import type { PoolPort } from '../types/ports/pool.ts'
import type { IndexedEvent } from '../types/ports/store.ts'
import type { Funding, SubmitterChain, SubmitterPort } from '../types/ports/submitter.ts'
import type { WalletsPort } from '../types/ports/wallets.ts'
import type { UserOperation } from '../types/userop.ts'
import type { Simulators } from '../validation/simulators.ts'
import { ChainError, deployedVersions, servedVersions } from './entrypoints.ts'
import { evmOf } from './evm-of.ts'
import { openExplorer } from './explorer.ts'
import { openChainPaymaster } from './paymaster/chain.ts'
import type { Paymasters } from './paymaster/service.ts'
import { relayingOf } from './relaying.ts'
import { rulesOf } from './rules.ts'
import { simulatorChainOf } from './simulator-chain.ts'

type Modules = Context & {
  store: Store
  simulators: Simulators
  submitter: SubmitterPort & WalletsPort
  alerts: Alerts
  /** `undefined`: a bundler only. */
  paymasters: Paymasters | undefined
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
  configured: GivenChainSettings & { testing: boolean },
  modules: Modules,
): Promise<Bundler> {
  const { store, simulators, submitter, signal, now } = modules
  const waiting = { signal, log: modules.log }
  const timeouts = { timeoutMs: configured.nodeTimeout }
  const chainId =
    configured.chainId ??
    (await persist('ask chain id', () => detectChainId(configured.rpcUrl, timeouts), waiting))
  const settings = withPreset(configured, chainId)
  for (const problem of sizeProblems(settings)) throw new ChainError(`chain ${chainId}: ${problem}`)
  const log = modules.log.with({ chain: chainId })
  const context = { log, metrics: modules.metrics }
  const nodes = { chainId, urls: settings.rpcUrl, ...timeouts, maxLag: settings.maxNodeLag }
  const node = createNodeClient(nodes, context)
  // Strangers' calls share no request, no breaker and no pause with ours: a slow one is theirs alone.
  const callersNode = createNodeClient({ ...nodes, purpose: 'callers', maxBatch: 1 }, context)
  const deployed = await persist('look for EntryPoints', () => deployedVersions(node), waiting)
  const versions = servedVersions(settings, deployed)
  const open = withoutSecrets(settings)
  const found = settings.dataFee ?? (await persist('look for data fees', () => detectDataFee(node), waiting))
  const dataFee = found === 'unknown' ? 'none' : found
  const evm = await persist('look for the rules of its EVM', () => evmOf(settings, node), waiting)
  if (found === 'unknown')
    log.warn('the chain takes data fees that are not known: operations do not pay for them')

  if (settings.skipBundleValidation)
    log.warn('bundles are sent without the check of the whole: they may revert at your cost')

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
  const dataFees = createDataFeeOracle({ kind: dataFee }, { client: node, heads })
  const scan = createEventScan(node)
  const onChain = (block: BlockRef) => isCanonical(block, node)
  const bundler = createBundler(
    { ...open, chainId, versions },
    {
      ...context,
      ...{ node, callersNode, heads, fees, dataFees, pools, submitter, store, alerts: modules.alerts, now },
      signal,
      simulator: simulators,
      rules: rulesOf({ ...settings, chainId }, { heads }),
      reads: {
        events: readBlock,
        receipts: (transactions) => readReceipts(transactions, node),
        isCanonical: onChain,
        scan,
        older: explorer?.history,
      },
    },
  )
  modules.onBundler(bundler, async () => {
    await heads.stop()
    await bundler.stop()
    explorer?.close()
    await Promise.all([node.close(), callersNode.close()])
  })
  await simulators.open(simulatorChainOf({ ...settings, chainId }, evm))

  const journal = await store.openBundles({ chainId })
  await persist('restore operations', async () => bundler.recover(await latestBlock(node), journal), waiting)
  // Before the submitter tells what became of wallets' transactions.
  const paymaster = await openPaymaster()
  const funding = await fundingOf(settings, chainId)
  const relayers = await persist(
    'recover transactions',
    () => submitter.open({ chain: { ...submitterChain(settings), chainId, funding }, journal }),
    waiting,
  )
  bundler.onRelayers(relayers)
  const known = await store.indexedBlocks({ chainId, limit: settings.reorgDepth })
  // Before the bundler, which asks for what it needs as soon as it has heard of the head.
  heads.onChange(({ head, removed }) =>
    simulators.prepare({ chainId, block: head, ops: waitingIn(pools.values()), reorg: removed.length > 0 }),
  )
  heads.onChange(bundler.onHead)
  // After the bundler, which indexes what the paymaster reads.
  if (paymaster !== undefined) heads.onChange(paymaster.onHead)
  await persist('follow the chain', () => heads.start(known.toReversed()), waiting)
  signal.throwIfAborted()
  bundler.start()
  paymaster?.serve()
  modules.onServed(paymaster === undefined ? bundler : { ...bundler, estimate: paymaster.estimate })
  log.info('chain is served', {
    preset: describePreset(chainId, configured.given),
    versions,
    dataFee,
    relayers: relayers.map((relayer) => relayer.address),
  })
  return bundler

  async function openPaymaster() {
    const { paymasters } = modules
    if (paymasters === undefined) return undefined
    const head = await persist('newest block', () => latestBlock(node), waiting)
    return openChainPaymaster(
      { ...settings, chainId, versions, head },
      {
        ...{ ...context, paymasters, bundler, node, heads, fees, store, scan, signal, now },
        ...{ isCanonical: onChain, wallets: submitter },
      },
    )
  }

  async function fundingOf(
    { fundingKey: key }: ChainSettings,
    chainId: number,
  ): Promise<Funding | undefined> {
    if (key === undefined) return undefined
    const journaled = await store.fundings({ chainId, since: now() - fundingPeriod })
    return { key, ...topUpsOf(settings), journaled }
  }

  /** What a node without history cannot tell any more is passed over, so that the newer blocks are indexed. */
  async function readBlock(block: BlockRef): Promise<readonly IndexedEvent[]> {
    const newest = heads.current?.number ?? block.number
    try {
      return await readEvents({ block, newest, entryPoints: addresses }, node)
    } catch (error) {
      if (!(error instanceof LogsPruned)) throw error
      log.warn('block passed over', { block: block.number, error: describe(error) })
      return []
    }
  }
}

/** Keys and URLs go to who uses them, by name; everybody else learns only that there are some. */
function withoutSecrets({
  relayerKeys: _keys,
  rpcUrl: _url,
  rpcEndpointSubmit,
  explorerApiKey,
  explorerUrl: _explorer,
  fundingKey: _fundingKey,
  relayAuthKey: _authKey,
  relayApiKey: _apiKey,
  paymasterKey: _paymasterKey,
  nativePrice: _price,
  tokens: _tokens,
  ...open
}: ChainSettings & { testing: boolean }) {
  return {
    ...open,
    rpcEndpointSubmit: rpcEndpointSubmit !== undefined,
    explorerApiKey: explorerApiKey !== undefined,
  }
}

/** Operations whose state is fetched ahead at a new head: about as many as a bundle takes. */
const mostPrepared = 50

/** Those that may be bundled next. */
function waitingIn(pools: Iterable<PoolPort>): readonly UserOperation[] {
  const ops: UserOperation[] = []
  for (const pool of pools) {
    for (const { op, state } of pool.entries()) {
      if (ops.length >= mostPrepared) return ops
      if (state.kind === 'pending') ops.push(op)
    }
  }
  return ops
}

function submitterChain(settings: ChainSettings): Omit<SubmitterChain, 'chainId' | 'funding'> {
  const {
    rpcUrl,
    relayerKeys,
    minSignerBalance,
    multicall,
    reorgDepth,
    maxFeeCeiling,
    replaceAfterBlocks,
    nodeTimeout,
    maxNodeLag,
    transactionGasCap,
  } = settings
  return {
    ...{ relayerKeys, minSignerBalance, reorgDepth, maxFeeCeiling, replaceAfterBlocks },
    ...{ nodeTimeout, maxNodeLag, transactionGasCap, multicall },
    ...{ accessList: settings.eip2930, nodeUrls: rpcUrl },
    relaying: relayingOf(settings),
  }
}

async function latestBlock(node: NodeClient) {
  return parseHeader(await node.request<RpcHeader>('eth_getBlockByNumber', ['latest', false]))
}
