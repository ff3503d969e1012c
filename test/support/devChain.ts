import { type Anvil, startAnvil } from '../../src/dev/anvil.ts'
import { type DevContracts, deployContracts } from '../../src/dev/deploy.ts'
import { createDeployer } from '../../src/dev/deployer.ts'

export type DevChain = Anvil & DevContracts

/**
 * An anvil of its own with the EntryPoints and factories deployed. Without a block time every transaction is mined
 * at once; with one, deployment goes on at full speed and the interval starts after it.
 */
export async function startDevChain(
  options: { chainId?: number; blockTime?: number; hardfork?: string; extraArguments?: string[] } = {},
): Promise<DevChain> {
  const anvil = await startAnvil({
    port: 0,
    chainId: options.chainId ?? 31337,
    blockTime: undefined,
    path: undefined,
    ...(options.hardfork === undefined ? {} : { hardfork: options.hardfork }),
    extraArguments: options.extraArguments ?? [],
  })
  const contracts = await deployContracts(createDeployer(anvil.url))
  if (options.blockTime !== undefined) await rpc(anvil.url, 'evm_setIntervalMining', [options.blockTime])
  return { ...anvil, ...contracts }
}

/** One JSON-RPC call, for the cheats and raw questions of a test. */
export async function rpc<Result = unknown>(
  url: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<Result> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const body = (await response.json()) as { result: Result; error?: { message: string } }
  if (body.error !== undefined) throw new Error(`${method}: ${body.error.message}`)
  return body.result
}
