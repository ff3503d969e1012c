import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createSmartAccountClient } from 'permissionless'
import { toSafeSmartAccount, toSimpleSmartAccount } from 'permissionless/accounts'
import { createPimlicoClient } from 'permissionless/clients/pimlico'
import { prepareUserOperationForErc20Paymaster } from 'permissionless/experimental/pimlico'
import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hash,
  http,
  type PublicClient,
  parseAbi,
  parseEventLogs,
} from 'viem'
import { entryPoint07Abi, type SmartAccount } from 'viem/account-abstraction'
import type { PrivateKeyAccount } from 'viem/accounts'
import { developmentChain } from '../../src/dev/demo.ts'
import { operatorPaymasters } from '../../src/service/paymaster/operators.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import type { EntryPointVersion } from '../../src/types/entrypoint-version.ts'
import { transact } from '../support/bundles.ts'
import { type DevChain, startDevChain } from '../support/devChain.ts'
import {
  addressOf,
  ownPaymaster,
  type PaymasterHome,
  paymasterHome,
  paymasterKey,
  rest,
  type TestKey,
} from '../support/paymasterService.ts'
import { newKey } from '../support/paymasters.ts'
import { deployMultiSend, deploySafe, type MultiSendContracts, type SafeContracts } from '../support/safe.ts'
import type { RunningService } from '../support/service.ts'

let chain: DevChain
let home: PaymasterHome
let service: RunningService
let client: PublicClient
let safe: SafeContracts & MultiSendContracts

beforeAll(async () => {
  chain = await startDevChain()
  safe = { ...(await deploySafe(chain)), ...(await deployMultiSend(chain)) }
  const { chainId, url } = chain
  client = createPublicClient({ chain: developmentChain(chainId, url), transport: http(url) })
  home = await paymasterHome(chain)
  service = await home.serve()
}, 60_000)
afterAll(async () => {
  await service?.kill('SIGTERM')
  home?.remove()
  await chain?.stop()
})

const receiver = '0x000000000000000000000000000000000000dEaD'
const nothing = [{ to: receiver, value: 0n, data: '0x' }] as const
const pollingInterval = 50
const mintAbi = parseAbi(['function mint(address to, uint256 amount)'])

const simple = (version: EntryPointVersion) => ({
  name: `a SimpleAccount of ${version}`,
  version,
  make: (owner: PrivateKeyAccount): Promise<SmartAccount> =>
    toSimpleSmartAccount({
      ...{ client, owner, factoryAddress: chain.factories[version] },
      entryPoint: entryPointOf(version),
    }),
})
const wallets = [
  simple('0.6'),
  simple('0.7'),
  simple('0.8'),
  {
    name: 'a Safe of 0.7',
    version: '0.7' as const,
    make: (owner: PrivateKeyAccount): Promise<SmartAccount> =>
      toSafeSmartAccount({
        ...{ client, owners: [owner], version: '1.4.1', entryPoint: entryPointOf('0.7') },
        safe4337ModuleAddress: safe.module,
        safeModuleSetupAddress: safe.moduleSetup,
        safeProxyFactoryAddress: safe.factory,
        safeSingletonAddress: safe.singleton,
        multiSendAddress: safe.multiSendAddress,
        multiSendCallOnlyAddress: safe.multiSendCallOnlyAddress,
      }),
  },
]

const entryPointOf = <Version extends EntryPointVersion>(version: Version) => ({
  address: entryPoints[version].address,
  version,
})

describe.each(wallets)('$name with permissionless', ({ version, make }) => {
  let key: TestKey
  let account: SmartAccount
  /** The tenant's. */
  let sponsoring: Address
  let policyId: number

  beforeAll(async () => {
    key = await home.createKey('Ann')
    account = await make(newKey())
    sponsoring = await ownPaymaster(service, key, version, [account.address])
    const limit = { name: 'two', perUserMaximumApplicable: true, perUserMaximumOpCount: 2 }
    policyId = (await rest(service, key, 'POST', '/addPolicy', limit)).body.id
  })

  const pimlico = (url: string) =>
    createPimlicoClient({
      ...{ chain: client.chain, transport: http(url), entryPoint: entryPointOf(version), pollingInterval },
    })
  /** The paymaster has an address of its own, or none but the bundler's. */
  const addresses = {
    'two URLs': () => ({ bundler: service.url, paymaster: addressOf(service, key, chain, true) }),
    'one URL': () => {
      const url = `${service.url}?apiKey=${key.text}&useVp=true`
      return { bundler: url, paymaster: url }
    },
  }
  /** As its documentation has it: fees from the bundler, and the paymaster's own client. */
  const wallet = (at: { bundler: string; paymaster: string }, paymasterContext: object) =>
    createSmartAccountClient({
      ...{ account, client, pollingInterval, bundlerTransport: http(at.bundler), paymasterContext },
      paymaster: pimlico(at.paymaster),
      userOperation: {
        estimateFeesPerGas: async () => (await pimlico(at.bundler).getUserOperationGasPrice()).fast,
        prepareUserOperation: prepareUserOperationForErc20Paymaster(pimlico(at.paymaster)),
      },
    })

  describe.each(Object.entries(addresses))('and %s', (_urls, address) => {
    test('is sponsored by the policy that it names', async () => {
      const { sendTransaction } = wallet(address(), { sponsorshipPolicyId: String(policyId) })
      const hash = await sendTransaction({ calls: nothing })
      expect(await paidBy(hash)).toEqual({ paymaster: getAddress(sponsoring), success: true })
    })

    test.each([0, 1] as const)('pays in token %i, which it approves on the way', async (index) => {
      const token = home.money.tokens[index].address
      await mint(token)
      const before = await balanceOf(token)
      const hash = await wallet(address(), { token }).sendTransaction({ calls: nothing })
      expect(await paidBy(hash)).toEqual({ paymaster: getAddress(tokenPaymaster()), success: true })
      expect(await balanceOf(token)).toBeLessThan(before)
    })
  })

  test('has spent what the policy allows', async () => {
    const { usedOpCount } = (await rest(service, key, 'GET', `/policy/${policyId}/usage`)).body
    expect(usedOpCount).toBe(2)
    const third = wallet(addresses['one URL'](), { sponsorshipPolicyId: String(policyId) })
    const error = await third.sendTransaction({ calls: nothing }).then(
      () => undefined,
      (error) => String(error),
    )
    expect(error).toContain("Sponsorship policy's per user limit in operations is exceeded")
  })

  test('pays in a token with a bundler client that is its paymaster as well', async () => {
    const token = home.money.tokens[0].address
    await mint(token)
    const before = await balanceOf(token)
    const at = addresses['one URL']()
    const { sendTransaction } = createSmartAccountClient({
      ...{ account, client, pollingInterval, bundlerTransport: http(at.bundler) },
      ...{ paymaster: true, paymasterContext: { token } },
      userOperation: { prepareUserOperation: prepareUserOperationForErc20Paymaster(pimlico(at.paymaster)) },
    })
    expect(await paidBy(await sendTransaction({ calls: nothing }))).toMatchObject({ success: true })
    expect(await balanceOf(token)).toBeLessThan(before)
  })

  test('reckons what an operation costs in a token', async () => {
    const token = home.money.tokens[0].address
    const at = pimlico(addresses['one URL']().paymaster)
    const gas = { callGasLimit: 100_000n, verificationGasLimit: 200_000n, preVerificationGas: 50_000n }
    const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n }
    const base = { sender: account.address, nonce: 0n, callData: '0x', signature: '0x' } as const
    const userOperation = { ...base, ...gas, ...fees }
    const [quote] = await at.getTokenQuotes({ tokens: [token], chain: client.chain })
    const cost = await at.estimateErc20PaymasterCost({ token, userOperation, chain: client.chain })
    // 2,500 US dollars a coin, one a token, and a fee of 5 %.
    expect(quote).toMatchObject({
      ...{ token, paymaster: getAddress(tokenPaymaster()) },
      ...{ exchangeRate: 2_625_000_000n, exchangeRateNativeToUsd: 2_500_000_000n },
    })
    expect(cost.costInToken).toBe((cost.costInUsd * 105n) / 100n)
    expect(cost.costInToken).toBeGreaterThan(0n)
  })

  test('sponsorUserOperation fills in gas and paymaster', async () => {
    const at = pimlico(addresses['two URLs']().paymaster)
    const free = (await rest(service, key, 'POST', '/addPolicy', { name: 'free' })).body.id
    const { maxFeePerGas, maxPriorityFeePerGas } = (await pimlico(service.url).getUserOperationGasPrice())
      .standard
    const bundler = createSmartAccountClient({
      ...{ account, client, pollingInterval, bundlerTransport: http(service.url) },
    })
    const request = await bundler.prepareUserOperation({
      ...{ calls: nothing, maxFeePerGas, maxPriorityFeePerGas },
      parameters: ['factory', 'nonce', 'signature'],
    })
    const sponsored = await at.sponsorUserOperation({
      userOperation: request as never,
      sponsorshipPolicyId: String(free),
    })
    const userOperation = { ...request, ...sponsored } as never
    const signature = await account.signUserOperation(userOperation)
    const hash = await bundler.sendUserOperation({ ...(userOperation as object), signature } as never)
    const { success, receipt } = await bundler.waitForUserOperationReceipt({ hash })
    expect(success).toBe(true)
    const { transactionHash } = receipt
    const status = await pimlico(service.url).getUserOperationStatus({ hash })
    expect(status).toEqual({ status: 'included', transactionHash })
  })

  const mint = (token: Address) =>
    transact(
      ...([chain, token] as const),
      encodeFunctionData({ abi: mintAbi, functionName: 'mint', args: [account.address, 10n ** 21n] }),
    )
  const balanceOf = (token: Address) =>
    client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [account.address] })
  const tokenPaymaster = (): Address => {
    const { tokens } = home.money
    const found = operatorPaymasters({ paymasterKey, versions: [version], tokens }).find(
      ({ plan }) => plan.kind === 'token',
    )
    return found?.deployment.address ?? '0x'
  }

  /** Who paid the operation in the transaction, by the chain. */
  async function paidBy(hash: Hash) {
    const { logs } = await client.getTransactionReceipt({ hash })
    const events = parseEventLogs({ abi: entryPoint07Abi, logs, eventName: 'UserOperationEvent' })
    const [event] = events.filter(({ args }) => args.sender === account.address)
    return { paymaster: event?.args.paymaster, success: event?.args.success }
  }
})
