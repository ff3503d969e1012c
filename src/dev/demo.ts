import {
  type Address,
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeFunctionData,
  formatUnits,
  type Hex,
  http,
  maxUint256,
  parseAbi,
  parseEther,
  parseUnits,
} from 'viem'
import { createBundlerClient, createPaymasterClient } from 'viem/account-abstraction'
import { privateKeyToAccount } from 'viem/accounts'
import type { TokenSettings } from '../paymaster/tokens/token.ts'
import { entryPoints } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import { anvilKeys } from './anvil.ts'
import type { DevContracts } from './deploy.ts'
import { toSimpleAccount } from './simple-account.ts'
import { becomeSponsor, type DevPaymaster, paymasterUrl, tokenPaymasterOf } from './sponsor.ts'

const version: EntryPointVersion = '0.8'
const receiver: Address = '0x000000000000000000000000000000000000dEaD'
/** ms; the chain has a block every second */
const pollingInterval = 100

const tokenAbi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
  'function balanceOf(address owner) view returns (uint256)',
])

/**
 * Three UserOperations from a wallet's view: a counterfactual account is deployed by its first one, which it pays for
 * itself; a sponsor pays for the second; the third is paid in a token. Mining on an interval starts here, so that what
 * comes before takes no time.
 */
export async function runDemo(
  options: {
    nodeUrl: string
    bundlerUrl: string
    chainId: number
    blockTime: number
    contracts: DevContracts
    paymaster: DevPaymaster
    token: TokenSettings
  },
  say: (line: string) => void,
): Promise<void> {
  const { nodeUrl, bundlerUrl, chainId, contracts, paymaster, token } = options
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

  await transact(account.address, { value: parseEther('1') })
  await transact(paymaster.wallet, { value: parseEther('10') })
  const pocketMoney = parseUnits('100', token.decimals)
  await transact(token.address, {
    data: encodeFunctionData({
      ...{ abi: tokenAbi, functionName: 'mint', args: [account.address, pocketMoney] },
    }),
  })
  await becomeSponsor(paymaster, account.address, say)
  await client.request({ method: 'evm_setIntervalMining', params: [options.blockTime] } as never)

  const bundler = createBundlerClient({ account, client, transport: http(bundlerUrl), pollingInterval })
  const sponsor = createPaymasterClient({ transport: http(paymasterUrl(paymaster, chainId)) })
  const gift = { to: receiver, value: parseEther('0.1') }

  await included('self-paid', bundler.sendUserOperation({ calls: [gift] }))

  await included(
    'sponsored',
    bundler.sendUserOperation({ calls: [gift], paymaster: sponsor, paymasterContext: { mode: 'sponsor' } }),
  )

  const entryPoint = entryPoints[version].address
  const spender = await tokenPaymasterOf(paymaster, { token: token.address, entryPoint })
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [spender, maxUint256] })
  await included(
    `paid in ${token.symbol}`,
    bundler.sendUserOperation({
      calls: [{ to: token.address, data }, gift],
      paymaster: sponsor,
      paymasterContext: { token: token.address },
    }),
  )
  const left = await client.readContract({
    ...{ address: token.address, abi: tokenAbi, functionName: 'balanceOf', args: [account.address] },
  })
  say(`which cost ${formatUnits(pocketMoney - left, token.decimals)} ${token.symbol}`)

  async function transact(to: Address, content: { value?: bigint; data?: Hex }): Promise<void> {
    const hash = await funder.sendTransaction({ to, ...content })
    await client.waitForTransactionReceipt({ hash })
  }

  async function included(kind: string, sending: Promise<Hex>): Promise<void> {
    const hash = await sending
    say(`${kind}: UserOperation ${hash} accepted`)
    const { receipt, success } = await bundler.waitForUserOperationReceipt({ hash })
    if (!success)
      throw new Error(`the ${kind} operation was included in ${receipt.transactionHash}, but it reverted`)
    say(`included in transaction ${receipt.transactionHash}, block ${receipt.blockNumber}`)
  }
}

export function developmentChain(id: number, nodeUrl: string) {
  return defineChain({
    id,
    name: 'development',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [nodeUrl] } },
  })
}
