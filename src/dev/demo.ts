import { type Address, createPublicClient, createWalletClient, defineChain, http, parseEther } from 'viem'
import { createBundlerClient } from 'viem/account-abstraction'
import { privateKeyToAccount } from 'viem/accounts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import { anvilKeys } from './anvil.ts'
import type { DevContracts } from './deploy.ts'
import { toSimpleAccount } from './simple-account.ts'

const version: EntryPointVersion = '0.8'
const receiver: Address = '0x000000000000000000000000000000000000dEaD'
/** ms; the chain has a block every second */
const pollingInterval = 100

/**
 * One UserOperation from a wallet's view: a counterfactual account is deployed by its first operation, which moves
 * value too. Mining on an interval starts here, so that the funding before it takes no time.
 */
export async function runDemo(
  options: {
    nodeUrl: string
    bundlerUrl: string
    chainId: number
    blockTime: number
    contracts: DevContracts
  },
  say: (line: string) => void,
): Promise<void> {
  const { nodeUrl, bundlerUrl, chainId, contracts } = options
  const chain = developmentChain(chainId, nodeUrl)
  const client = createPublicClient({ chain, transport: http(nodeUrl), pollingInterval })
  const funder = createWalletClient({
    chain,
    transport: http(nodeUrl),
    account: privateKeyToAccount(anvilKeys[0]),
  })
  const owner = privateKeyToAccount(anvilKeys[3])
  const factory = contracts.factories[version]
  const account = await toSimpleAccount({ client, version, owner, factory })
  say(`account ${account.address} (SimpleAccount ${version}, not deployed yet)`)

  const funding = await funder.sendTransaction({ to: account.address, value: parseEther('1') })
  await client.waitForTransactionReceipt({ hash: funding })
  await client.request({ method: 'evm_setIntervalMining', params: [options.blockTime] } as never)

  const bundler = createBundlerClient({ account, client, transport: http(bundlerUrl), pollingInterval })
  const userOpHash = await bundler.sendUserOperation({ calls: [{ to: receiver, value: parseEther('0.1') }] })
  say(`UserOperation ${userOpHash} accepted`)
  const { receipt, success } = await bundler.waitForUserOperationReceipt({ hash: userOpHash })
  if (!success)
    throw new Error(`the demo operation was included in ${receipt.transactionHash}, but it reverted`)
  say(`included in transaction ${receipt.transactionHash}, block ${receipt.blockNumber}`)
}

export function developmentChain(id: number, nodeUrl: string) {
  return defineChain({
    id,
    name: 'development',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [nodeUrl] } },
  })
}
