import safeModule from '@safe-global/safe-4337/build/artifacts/contracts/Safe4337Module.sol/Safe4337Module.json'
import proxyFactory from '@safe-global/safe-contracts/build/artifacts/contracts/proxies/SafeProxyFactory.sol/SafeProxyFactory.json'
import safeSingleton from '@safe-global/safe-contracts/build/artifacts/contracts/SafeL2.sol/SafeL2.json'
import account06 from 'entrypoint-0.6/artifacts/SimpleAccount.json'
import factory06 from 'entrypoint-0.6/artifacts/SimpleAccountFactory.json'
import account07 from 'entrypoint-0.7/artifacts/SimpleAccount.json'
import factory07 from 'entrypoint-0.7/artifacts/SimpleAccountFactory.json'
import account08 from 'entrypoint-0.8/artifacts/SimpleAccount.json'
import factory08 from 'entrypoint-0.8/artifacts/SimpleAccountFactory.json'
import {
  type Abi,
  type Address,
  concatHex,
  createPublicClient,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  http,
  keccak256,
  maxUint256,
  parseAbi,
  parseEther,
  toHex,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import * as devFeed from '../../../src/contracts/dev/artifacts/DevFeed.ts'
import * as devToken from '../../../src/contracts/dev/artifacts/DevToken.ts'
import * as sponsor06 from '../../../src/contracts/paymaster/artifacts/SponsorPaymaster06.ts'
import * as token06 from '../../../src/contracts/paymaster/artifacts/TokenPaymaster06.ts'
import * as token07 from '../../../src/contracts/paymaster/artifacts/TokenPaymaster07.ts'
import * as verifying06 from '../../../src/contracts/paymaster/artifacts/VerifyingPaymaster06.ts'
import * as verifying07 from '../../../src/contracts/paymaster/artifacts/VerifyingPaymaster07.ts'
import { type PaymasterPlan, paymasterDeployment } from '../../../src/contracts/paymaster/deployment.ts'
import type { Hardfork } from '../../../src/evm/hardfork.ts'
import { entryPoints } from '../../../src/types/entrypoint.ts'
import { type EntryPointVersion, entryPointVersions } from '../../../src/types/entrypoint-version.ts'
import {
  type AccountChain,
  authorization,
  delegatedAccount,
  execute,
  fund,
  simpleAccount,
  type TestAccount,
} from '../../support/accounts.ts'
import { deploy, deployAccount, relayer, transact } from '../../support/bundles.ts'
import { rpc, startDevChain } from '../../support/devChain.ts'
import { deploySafe, toSafeAccount } from '../../support/safe.ts'
import { wireAuthorization } from './chain.ts'

/** A contract that may be called by its interface, by an outsider or by who rules it. */
export type Callable = { address: Address; abi: Abi }

export type ScenePaymaster = { plan: PaymasterPlan; address: Address; signer: PrivateKeyAccount }

/** A chain with all that is to be called, the same in every run. */
export type Scene = {
  chain: AccountChain
  hardfork: Hardfork
  /** Who send transactions: owners of accounts and paymasters, and strangers. */
  senders: readonly PrivateKeyAccount[]
  callables: readonly Callable[]
  accounts: readonly TestAccount[]
  safe: Awaited<ReturnType<typeof toSafeAccount>>
  paymasters: readonly ScenePaymaster[]
  tokens: readonly Address[]
  /** What EIP-7702 accounts may delegate to. */
  delegates: readonly Address[]
  initCodes: readonly Hex[]
  stop(): Promise<void>
}

const key = (name: string) => privateKeyToAccount(keccak256(toHex(name)))

const accountAbis: Record<EntryPointVersion, Abi> = {
  '0.6': account06.abi as Abi,
  '0.7': account07.abi as Abi,
  '0.8': account08.abi as Abi,
}
const factoryAbis: Record<EntryPointVersion, Abi> = {
  '0.6': factory06.abi as Abi,
  '0.7': factory07.abi as Abi,
  '0.8': factory08.abi as Abi,
}

export async function startScene(hardfork: Hardfork): Promise<Scene> {
  const devChain = await startDevChain({
    hardfork,
    extraArguments: ['--timestamp', '1800000000', '--gas-limit', '100000000'],
  })
  const { url } = devChain
  const senders = Array.from({ length: 12 }, (_, index) => key(`sender ${index}`))
  const [owner = key('owner'), ...strangers] = senders
  for (const { address } of senders) await fund(devChain, address, parseEther('1000000'))

  const tokens = [await deployToken(devChain, 'USDX', 6), await deployToken(devChain, 'GLD', 18)]
  for (const { address } of senders) {
    for (const token of tokens) await transact(devChain, token, minting(address))
  }
  const feedArgument = encodeAbiParameters([{ type: 'int256' }], [250_000_000_000n])
  const feed = await deploy(devChain, concatHex([devFeed.bytecode, feedArgument]))
  const paymasters = await deployPaymasters(devChain, owner, strangers[0] ?? owner)
  const accounts = await deployAccounts(devChain, [owner, ...strangers.slice(0, 2)], tokens, paymasters)
  const safeContracts = await deploySafe(devChain)
  const client = createPublicClient({ transport: http(url) })
  const safe = await toSafeAccount({ client, contracts: safeContracts, owner })
  const { factory, factoryData } = await safe.getFactoryArgs()
  if (factory === undefined || factoryData === undefined) throw new Error('a Safe has a factory')
  await transact(devChain, factory, factoryData)
  await fund(devChain, safe.address, parseEther('100'))

  await rpc(url, 'evm_setAutomine', [false])
  await rpc(url, 'anvil_autoImpersonateAccount', [true])
  return {
    chain: devChain,
    hardfork,
    senders,
    accounts,
    safe,
    paymasters,
    tokens,
    delegates: [devChain.simple7702Account, tokens[0] ?? feed, owner.address],
    callables: [
      ...entryPointVersions.map((version) => ({
        address: entryPoints[version].address,
        abi: entryPoints[version].abi,
      })),
      ...entryPointVersions.map((version) => ({
        address: devChain.factories[version],
        abi: factoryAbis[version],
      })),
      ...accounts.map(({ address, version }) => ({ address, abi: accountAbis[version] })),
      ...paymasters.map(({ address, plan }) => ({ address, abi: abiOf(plan) })),
      ...tokens.map((address) => ({ address, abi: devToken.abi })),
      { address: feed, abi: devFeed.abi },
      { address: safe.address, abi: safeSingleton.abi as Abi },
      { address: safeContracts.module, abi: safeModule.abi as Abi },
      { address: safeContracts.factory, abi: proxyFactory.abi as Abi },
    ],
    initCodes: [
      tokenInitCode('NEW', 18),
      concatHex([devFeed.bytecode, feedArgument]),
      proxyFactory.bytecode as Hex,
    ],
    stop: () => devChain.stop(),
  }
}

function tokenInitCode(symbol: string, decimals: number): Hex {
  const parameters = [{ type: 'string' }, { type: 'uint8' }]
  return concatHex([devToken.bytecode, encodeAbiParameters(parameters, [symbol, decimals])])
}

function deployToken(chain: AccountChain, symbol: string, decimals: number): Promise<Address> {
  return deploy(chain, tokenInitCode(symbol, decimals))
}

function abiOf({ kind, version }: PaymasterPlan): Abi {
  switch (kind) {
    case 'sponsor':
      return sponsor06.abi
    case 'verifying':
      return version === '0.6' ? verifying06.abi : verifying07.abi
    case 'token':
      return version === '0.6' ? token06.abi : token07.abi
  }
}

const depositAbi = parseAbi([
  'function depositTo(address account) payable',
  'function depositFor(address account) payable',
])

async function deployPaymasters(
  chain: AccountChain,
  { address: owner }: PrivateKeyAccount,
  { address: feeReceiver }: PrivateKeyAccount,
): Promise<ScenePaymaster[]> {
  const signer = key('paymaster signer')
  const plans: PaymasterPlan[] = [
    { kind: 'sponsor', version: '0.6', owner },
    ...entryPointVersions.flatMap((version): PaymasterPlan[] => [
      { kind: 'verifying', version, owner, signer: signer.address },
      { kind: 'token', version, owner, signer: signer.address, feeReceiver },
    ]),
  ]
  const paymasters: ScenePaymaster[] = []
  for (const plan of plans) {
    const { address, to, data } = paymasterDeployment(plan)
    await transact(chain, to, data)
    const isSponsor = plan.kind === 'sponsor'
    const functionName = isSponsor ? 'depositFor' : 'depositTo'
    const deposit = encodeFunctionData({
      abi: depositAbi,
      functionName,
      args: [isSponsor ? signer.address : address],
    })
    const value = parseEther('50')
    await transact(chain, isSponsor ? address : entryPoints[plan.version].address, deposit, { value })
    paymasters.push({ plan, address, signer })
  }
  return paymasters
}

const approveAbi = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function mint(address to, uint256 amount)',
])

function minting(to: Address): Hex {
  return encodeFunctionData({ abi: approveAbi, functionName: 'mint', args: [to, parseEther('1000')] })
}

/** Of each version one for each owner, deployed, funded, with tokens that its paymaster may take; and delegated ones. */
async function deployAccounts(
  chain: AccountChain,
  owners: readonly PrivateKeyAccount[],
  tokens: readonly Address[],
  paymasters: readonly ScenePaymaster[],
): Promise<TestAccount[]> {
  const accounts: TestAccount[] = []
  for (const version of entryPointVersions) {
    for (const owner of owners) {
      const account = await simpleAccount(chain, version, { owner })
      await deployAccount(chain, account)
      accounts.push(account)
    }
  }
  const delegated = delegatedAccount(key('delegated'))
  await fund(chain, delegated.address, parseEther('100'))
  const authorizationList = [wireAuthorization(await authorization(chain, delegated.owner))]
  const { address: from } = relayer
  await rpc(chain.url, 'eth_sendTransaction', [{ from, to: from, authorizationList }])
  for (const { address, owner, version } of accounts) {
    await fund(chain, address, parseEther('100'))
    for (const token of tokens) {
      await transact(chain, token, minting(address))
      for (const { plan, address: spender } of paymasters) {
        if (plan.kind !== 'token' || plan.version !== version) continue
        const args = [spender, maxUint256] as const
        const approve = encodeFunctionData({ abi: approveAbi, functionName: 'approve', args })
        await transact(chain, address, execute(token, 0n, approve), { as: owner.address })
      }
    }
  }
  return [...accounts, delegated]
}
