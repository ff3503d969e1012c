import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  getAddress,
  type Hash,
  type Hex,
  numberToHex,
  parseEther,
  parseEventLogs,
} from 'viem'
import { entryPoint06Abi } from 'viem/account-abstraction'
import { operatorPaymasters } from '../../src/service/paymaster/operators.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { entryPointVersions } from '../../src/types/entrypoint-version.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { sign, type TestAccount } from '../support/accounts.ts'
import { minedBundle } from '../support/bundles.ts'
import { call, type RpcError, send, watchStates } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { fleet, operation } from '../support/fleet.ts'
import {
  addressOf,
  type PaymasterHome,
  paymasterHome,
  paymasterKey,
  rest,
  sponsor,
  type TestKey,
} from '../support/paymasterService.ts'
import type { RunningService } from '../support/service.ts'

let chain: DevChain
let home: PaymasterHome
let service: RunningService
let accounts: TestAccount[]
let ann: TestKey
let bob: TestKey

const shared = operatorPaymasters({ paymasterKey, versions: entryPointVersions, tokens: [] })[0]?.deployment

beforeAll(async () => {
  chain = await startDevChain()
  accounts = await fleet(chain, '0.6', 3)
  // Who is sponsored needs no coins.
  for (const { address } of accounts) await rpc(chain.url, 'anvil_setBalance', [address, '0x0'])
  home = await paymasterHome(chain)
  service = await home.serve()
  ann = await home.createKey('Ann')
  bob = await home.createKey('Bob')
}, 60_000)
afterAll(async () => {
  await service?.kill('SIGTERM')
  home?.remove()
  await chain?.stop()
})

const accountOf = (index: number): TestAccount => {
  const account = accounts[index]
  if (account === undefined) throw new Error('an account for each test')
  return account
}
const unpaid = async (account: TestAccount): Promise<UserOperation> =>
  operation(chain, account, { callData: '0x', callGasLimit: 0n, verificationGasLimit: 0n })
const post = (key: TestKey, path: string, body: object) => rest(service, key, 'POST', path, body)

type Usage = { usedNative: string; usedOpCount: number }
async function usageOf(policyId: number): Promise<Usage> {
  const { usedNative, usedOpCount } = (await rest(service, ann, 'GET', `/policy/${policyId}/usage`)).body
  return { usedNative, usedOpCount }
}

/** The ledger follows the index: asked until it has. */
async function settled(policyId: number, before: Usage): Promise<Usage> {
  for (;;) {
    const usage = await usageOf(policyId)
    if (usage.usedNative !== before.usedNative) return usage
  }
}

/** Who paid, and what, by the chain's own events. */
async function paidFor(transactionHash: Hash): Promise<{ paymaster: Address; cost: bigint }> {
  const receipt = await rpc<{ logs: [] }>(chain.url, 'eth_getTransactionReceipt', [transactionHash])
  const [event] = parseEventLogs({
    abi: entryPoint06Abi,
    logs: receipt.logs,
    eventName: 'UserOperationEvent',
  })
  if (event === undefined) throw new Error('no operation in there')
  return { paymaster: event.args.paymaster, cost: event.args.actualGasCost }
}

const depositOf = async (sponsor: Address): Promise<bigint> => {
  const data: Hex = `0x70a08231${sponsor.slice(2).padStart(64, '0')}`
  return BigInt(await rpc<Hex>(chain.url, 'eth_call', [{ to: shared?.address, data }, 'latest']))
}

test("the shared paymaster's sponsor deposits, lists a sender, signs, and pays what was used", async () => {
  const account = accountOf(0)
  const params = { params: [account.address], chainId: chain.chainId }
  expect(await post(ann, '/deposit?wait=true', { params: ['1.5'] })).toMatchObject({
    ...{
      status: 200,
      body: { message: expect.stringMatching(/^Successfully deposited with transaction Hash 0x/) },
    },
  })
  expect(await depositOf(ann.wallet)).toBe(parseEther('1.5'))
  expect((await post(ann, '/whitelist?wait=true', params)).status).toBe(200)
  expect((await post(ann, '/checkWhitelist', params)).body).toEqual({ message: 'Already added' })
  expect((await post(ann, '/getAllWhitelist', { params: [] })).body).toEqual({ addresses: [account.address] })

  const sponsored = await sponsor(addressOf(service, ann, chain), await unpaid(account))
  const hash = await send(service.url, await sign(chain, account, sponsored))
  const watch = await watchStates(service.url, [account.address])
  await watch.all([hash], 'included')
  watch.close()
  const { receipt } = await call<{ receipt: { transactionHash: Hash } }>(
    ...([service.url, 'eth_getUserOperationReceipt', hash] as const),
  )
  const { paymaster, cost } = await paidFor(receipt.transactionHash)
  expect(paymaster).toBe(getAddress(shared?.address ?? '0x'))
  const left = await depositOf(ann.wallet)
  expect(left).toBeLessThan(parseEther('1.5'))
  // What postOp itself costs is more than the event tells.
  expect(parseEther('1.5') - left).toBeGreaterThanOrEqual(cost)
})

test('a promise outlives kill -9, and is settled by what a stranger bundled', async () => {
  const account = accountOf(1)
  await post(ann, '/whitelist?wait=true', { params: [account.address] })
  const limits = { name: 'once', globalMaximumApplicable: true, globalMaximumOpCount: 1 }
  const { id } = (await post(ann, '/addPolicy', limits)).body
  const context = { mode: 'sponsor', policyId: id }
  const ask = (op: UserOperation) =>
    sponsor(addressOf(service, ann, chain), op, context).catch((error) => (error as RpcError).error.data)
  await post(ann, '/whitelist?wait=true', { params: [accountOf(2).address] })
  for (const { address } of [account, accountOf(2)])
    await post(ann, '/whitelist/v2', { params: [[address], String(id)] })

  const op = await unpaid(account)
  const sponsored = (await ask(op)) as UserOperation
  const promised = await usageOf(id)
  expect(promised.usedOpCount).toBe(1)

  await service.kill('SIGKILL')
  service = await home.serve()
  expect(await usageOf(id)).toEqual(promised)
  expect(await ask(await unpaid(accountOf(2)))).toMatchObject({ code: 'global_limit_count' })

  const { transactionHash, status } = await minedBundle(chain, [await sign(chain, account, sponsored)])
  expect(status).toBe('success')
  const { cost } = await paidFor(transactionHash)
  const usage = await settled(id, promised)
  expect([parseEther(usage.usedNative), usage.usedOpCount]).toEqual([cost, 1])
})

test('another tenant sees none of it, and spends none of it', async () => {
  const own = (await rest(service, ann, 'GET', '/policy')).body as { id: number }[]
  expect(own).toHaveLength(1)
  const missing = { status: 404, body: { code: 'policy_not_found' } }
  expect(await rest(service, bob, 'GET', '/policy')).toMatchObject(missing)
  expect(await rest(service, bob, 'GET', `/policy/${own[0]?.id}`)).toMatchObject(missing)
  expect((await post(bob, '/getAllWhitelist', { params: [] })).body).toEqual({ addresses: [] })
  const refused = await sponsor(addressOf(service, bob, chain), await unpaid(accountOf(0))).catch(
    (error) => (error as RpcError).error,
  )
  expect(refused).toMatchObject({ code: -32501, data: { code: 'sender_not_whitelisted' } })
})

test('what is configured of the paymaster shows', async () => {
  await service.kill('SIGTERM')
  const icon = 'https://sponsor.example/icon.png'
  const since = BigInt(await rpc<Hex>(chain.url, 'eth_blockNumber'))
  service = await home.serve(
    ...['--sponsor-name', 'Ann & Co', '--sponsor-icon', icon, '--token-markup', '1000'],
    ...['--paymaster-unstake-delay', '100000', '--sponsor-paymaster-since', String(since)],
  )
  const url = addressOf(service, ann, chain)
  const wire = formatUserOperation(await unpaid(accountOf(2)))
  const entryPoint = entryPoints['0.6'].address
  const [token] = home.money.tokens
  const context = { token: token.address }
  const stub = await call(
    url,
    'pm_getPaymasterStubData',
    wire,
    entryPoint,
    numberToHex(chain.chainId),
    context,
  )
  expect(stub).toMatchObject({ sponsor: { name: 'Ann & Co', icon }, isFinal: false })
  const quotes = await call(url, 'pm_getERC20TokenQuotes', wire, entryPoint, [context])
  expect(quotes).toMatchObject({ quotes: [{ symbol: 'USDX', serviceFeePercent: 10 }] })
  expect((await post(ann, '/getAllWhitelist', { params: [] })).body).toEqual({ addresses: [] })

  const { verifyingPaymaster } = (
    await post(ann, '/deployVerifyingPaymaster?wait=true', { params: ['EPV_06'] })
  ).body
  expect((await post(ann, '/addStake?wait=true', { params: ['EPV_06', '1'] })).status).toBe(200)
  const data = encodeFunctionData({
    abi: entryPoint06Abi,
    functionName: 'getDepositInfo',
    args: [verifyingPaymaster],
  })
  const info = decodeFunctionResult({
    ...{ abi: entryPoint06Abi, functionName: 'getDepositInfo' },
    data: await rpc<Hex>(chain.url, 'eth_call', [{ to: entryPoint, data }, 'latest']),
  })
  expect(info).toMatchObject({ stake: parseEther('1'), unstakeDelaySec: 100_000 })
})
