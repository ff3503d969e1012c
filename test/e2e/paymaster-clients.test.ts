import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  type Hex,
  http,
  maxUint256,
  parseAbi,
} from 'viem'
import { createBundlerClient, createPaymasterClient, type SmartAccount } from 'viem/account-abstraction'
import { developmentChain } from '../../src/dev/demo.ts'
import { toSimpleAccount } from '../../src/dev/simple-account.ts'
import { operatorPaymasters } from '../../src/service/paymaster/operators.ts'
import { type EntryPointVersion, entryPointVersions } from '../../src/types/entrypoint-version.ts'
import { transact } from '../support/bundles.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import {
  addressOf,
  ownPaymaster,
  type PaymasterHome,
  paymasterHome,
  paymasterKey,
  type TestKey,
} from '../support/paymasterService.ts'
import { newKey } from '../support/paymasters.ts'
import type { RunningService } from '../support/service.ts'

let chain: DevChain
let home: PaymasterHome
let service: RunningService
let key: TestKey

beforeAll(async () => {
  chain = await startDevChain()
  home = await paymasterHome(chain)
  service = await home.serve()
  key = await home.createKey('Ann')
}, 60_000)
afterAll(async () => {
  await service?.kill('SIGTERM')
  home?.remove()
  await chain?.stop()
})

const tokenAbi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
])
const receiver = '0x000000000000000000000000000000000000dEaD'

/** wei */
const coinsOf = async (address: Address): Promise<bigint> =>
  BigInt(await rpc<Hex>(chain.url, 'eth_getBalance', [address, 'latest']))

describe.each(entryPointVersions)('a wallet of EntryPoint %s with viem', (version: EntryPointVersion) => {
  let account: SmartAccount

  beforeAll(async () => {
    const factory = chain.factories[version]
    account = await toSimpleAccount({ client: client(), version, owner: newKey(), factory })
    await ownPaymaster(service, key, version, [account.address])
  })

  /** The paymaster has an address of its own, or none but the bundler's. */
  const clients = {
    'two URLs': () =>
      createBundlerClient({
        ...{ account, client: client(), transport: http(service.url), pollingInterval: 50 },
        paymaster: createPaymasterClient({ transport: http(addressOf(service, key, chain, true)) }),
      }),
    'one URL': () =>
      createBundlerClient({
        ...{ account, client: client(), pollingInterval: 50, paymaster: true },
        transport: http(`${service.url}?apiKey=${key.text}&useVp=true`),
      }),
  }

  describe.each(Object.entries(clients))('and %s', (_urls, bundlerClient) => {
    test('is sponsored', async () => {
      const bundler = bundlerClient()
      const calls = [{ to: receiver, value: 0n }] as const
      const hash = await bundler.sendUserOperation({ calls, paymasterContext: { mode: 'sponsor' } })
      const { success } = await bundler.waitForUserOperationReceipt({ hash })
      expect(success).toBe(true)
      expect(await coinsOf(account.address)).toBe(0n)
    })

    test.each([0, 1])('pays in token %i', async (index) => {
      const token = home.money.tokens[index]
      const paymaster = operatorPaymasters({
        ...{ paymasterKey, versions: [version], tokens: home.money.tokens },
      }).find(({ plan }) => plan.kind === 'token')?.deployment.address
      if (token === undefined || paymaster === undefined) throw new Error('a token and its paymaster')
      const { address: to, symbol } = token
      const mint = {
        functionName: 'mint',
        args: [account.address, 10n ** BigInt(token.decimals + 2)],
      } as const
      await transact(chain, to, encodeFunctionData({ abi: tokenAbi, ...mint }))
      const approve = { functionName: 'approve', args: [paymaster, maxUint256] } as const
      const data = encodeFunctionData({ abi: tokenAbi, ...approve })
      for (const paymasterContext of [{ token: to }, { mode: 'erc20', token: symbol }]) {
        const bundler = bundlerClient()
        const before = await balanceOf(to)
        const hash = await bundler.sendUserOperation({ calls: [{ to, data }], paymasterContext })
        const { success } = await bundler.waitForUserOperationReceipt({ hash })
        expect(success).toBe(true)
        expect(await balanceOf(to)).toBeLessThan(before)
      }
      expect(await coinsOf(account.address)).toBe(0n)
    })
  })

  const balanceOf = async (token: Address): Promise<bigint> => {
    const data = `0x70a08231${account.address.slice(2).padStart(64, '0')}`
    return BigInt(await rpc<Hex>(chain.url, 'eth_call', [{ to: token, data }, 'latest']))
  }
})

function client() {
  return createPublicClient({
    ...{ chain: developmentChain(chain.chainId, chain.url), transport: http(chain.url) },
  })
}
