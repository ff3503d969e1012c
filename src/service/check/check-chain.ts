import { type Address, formatEther, type Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import type { Context } from '../../base/context.ts'
import { describe } from '../../base/errors.ts'
import { redactUrl } from '../../base/log.ts'
import { createNodeClient, detectChainId } from '../../chain/client.ts'
import { detectDataFee } from '../../chain/data-fee/oracle.ts'
import { sizeProblems } from '../../config/incoherences.ts'
import type { ChainSettings } from '../../config/schemas/chain.ts'
import { topUpsOf } from '../../config/top-ups.ts'
import { describePreset, type GivenChainSettings, withPreset } from '../../config/with-preset.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { DataFeeKind } from '../../types/ports/data-fee.ts'
import { type Foresight, lookUpForesight } from '../../validation/state/foresight/look-up.ts'
import { takesReader } from '../../validation/state/read-by-call.ts'
import { deployedVersions, servedVersions } from '../entrypoints.ts'
import { evmOf } from '../evm-of.ts'
import { checkPaymaster } from './check-paymaster.ts'
import { checkTracing } from './check-tracing.ts'
import { attempt, type Finding } from './finding.ts'

/** What would be served on a chain and what is missing, without changing anything. */
export async function checkChain(configured: GivenChainSettings, context: Context): Promise<Finding[]> {
  const timeouts = { timeoutMs: configured.nodeTimeout }
  const { rpcUrl, given } = configured
  const nodes = await Promise.all(rpcUrl.map((url) => checkNode(url, configured.chainId, timeouts)))
  const chainId = configured.chainId ?? nodes.find((node) => node.chainId !== undefined)?.chainId
  if (chainId === undefined || !nodes.some(({ finding }) => finding.ok))
    return nodes.map(({ finding }) => finding)
  const client = createNodeClient({ chainId, urls: rpcUrl, ...timeouts }, context)
  const settings = withPreset(configured, chainId)
  const name = `chain ${chainId}`
  return [
    ...nodes.map(({ finding }) => finding),
    { ok: true, text: `${name}: ${describePreset(chainId, given)}` },
    ...sizeProblems(settings).map((problem) => ({ ok: false, text: `${name}: ${problem}` })),
    await attempt(name, async () => {
      const dataFee = settings.dataFee ?? (await detectDataFee(client))
      return { ok: true, text: dataFeeTexts[dataFee] }
    }),
    await attempt(name, async () => {
      const versions = servedVersions(settings, await deployedVersions(client))
      return { ok: true, text: `serves EntryPoint ${versions.join(', ')}` }
    }),
    await attempt(name, async () => ({ ok: true, text: await describeValidation(settings, client) })),
    ...(await checkTracing({ ...settings, chainId }, context)),
    ...(await Promise.all(settings.relayerKeys.map((key) => checkRelayer(key, settings, client)))),
    ...(settings.fundingKey === undefined ? [] : [await checkFunding(settings.fundingKey, settings, client)]),
    ...(await checkPaymaster({ ...settings, chainId }, client)),
  ]
}

async function describeValidation(
  settings: Pick<ChainSettings, 'validationEngine' | 'hardfork' | 'p256Verify'>,
  client: NodeClient,
): Promise<string> {
  if (settings.validationEngine === 'node') return 'validates at the node'
  const { hardfork } = await evmOf(settings, client)
  const reading = (await takesReader(client)) ? 'read by calls with overrides' : 'read one by one'
  return `validates in our own EVM (${hardfork}), ${foresightTexts[await lookUpForesight(client)]}, ${reading}`
}

const foresightTexts: Readonly<Record<Foresight, string>> = {
  traces: 'on state that the node traces (debug_traceCall)',
  lists: 'on state that the node lists (eth_createAccessList)',
  experience: 'on state that is known by need and by experience',
}

const dataFeeTexts: Readonly<Record<DataFeeKind | 'unknown', string>> = {
  none: 'takes no data fees',
  'op-stack': 'takes data fees as OP Stack chains do',
  arbitrum: 'takes data fees as Arbitrum does',
  unknown: 'takes data fees that are not known: operations would not pay for them',
}

async function checkNode(
  url: string,
  expected: number | undefined,
  timeouts: { timeoutMs: number },
): Promise<{ finding: Finding; chainId: number | undefined }> {
  const name = `node ${redactUrl(url)}`
  try {
    const chainId = await detectChainId([url], timeouts)
    const ok = expected === undefined || expected === chainId
    const text = ok ? `${name}: chain ${chainId}` : `${name}: is of chain ${chainId}, not ${expected}`
    return { finding: { ok, text }, chainId }
  } catch (error) {
    return { finding: { ok: false, text: `${name}: ${describe(error)}` }, chainId: undefined }
  }
}

function checkRelayer(key: Hex, settings: ChainSettings, client: NodeClient): Promise<Finding> {
  const relayer: Address = privateKeyToAddress(key)
  return attempt(`relayer ${relayer}`, async () => {
    const balance = BigInt(await client.request<Hex>('eth_getBalance', [relayer, 'latest']))
    const text = `${formatEther(balance)} eth`
    if (balance >= settings.minSignerBalance) return { ok: true, text }
    return {
      ok: false,
      text: `${text}, less than minSignerBalance (${formatEther(settings.minSignerBalance)} eth)`,
    }
  })
}

function checkFunding(key: Hex, settings: ChainSettings, client: NodeClient): Promise<Finding> {
  const account: Address = privateKeyToAddress(key)
  return attempt(`funding account ${account}`, async () => {
    const balance = BigInt(await client.request<Hex>('eth_getBalance', [account, 'latest']))
    const { below, to, dailyLimit } = topUpsOf(settings)
    const terms = `tops up relayers below ${formatEther(below)} eth to ${formatEther(to)} eth, at most ${formatEther(dailyLimit)} eth a day`
    return { ok: balance > 0n, text: `${formatEther(balance)} eth; ${terms}` }
  })
}
