import { type Address, formatEther, type Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import type { Context } from '../base/context.ts'
import { describe } from '../base/errors.ts'
import { redactUrl } from '../base/log.ts'
import { createNodeClient, detectChainId } from '../chain/client.ts'
import type { ChainSettings } from '../config/schema.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import { deployedVersions, servedVersions } from './entrypoints.ts'

/** One line of `tandem check`. */
export type Finding = { ok: boolean; text: string }

/** What would be served on a chain and what is missing, without changing anything. */
export async function checkChain(settings: ChainSettings, context: Context): Promise<Finding[]> {
  const timeouts = { timeoutMs: settings.nodeTimeout }
  const nodes = await Promise.all(settings.rpcUrl.map((url) => checkNode(url, settings.chainId, timeouts)))
  const chainId = settings.chainId ?? nodes.find((node) => node.chainId !== undefined)?.chainId
  if (chainId === undefined || !nodes.some(({ finding }) => finding.ok))
    return nodes.map(({ finding }) => finding)
  const client = createNodeClient({ chainId, urls: settings.rpcUrl, ...timeouts }, context)
  return [
    ...nodes.map(({ finding }) => finding),
    await attempt(`chain ${chainId}: EntryPoints`, async () => {
      const versions = servedVersions(settings, await deployedVersions(client))
      return { ok: true, text: `chain ${chainId}: serves EntryPoint ${versions.join(', ')}` }
    }),
    ...(await Promise.all(settings.relayerKeys.map((key) => checkRelayer(key, settings, client)))),
  ]
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
    const text = `relayer ${relayer}: ${formatEther(balance)} eth`
    if (balance >= settings.minSignerBalance) return { ok: true, text }
    return {
      ok: false,
      text: `${text}, less than minSignerBalance (${formatEther(settings.minSignerBalance)} eth)`,
    }
  })
}

async function attempt(subject: string, task: () => Promise<Finding>): Promise<Finding> {
  try {
    return await task()
  } catch (error) {
    return { ok: false, text: `${subject}: ${describe(error)}` }
  }
}
