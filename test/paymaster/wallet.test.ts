import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Abi, type Address, type Hash, type Hex, parseEther } from 'viem'
import { entryPoint07Abi } from 'viem/account-abstraction'
import * as verifying06 from '../../src/contracts/paymaster/artifacts/VerifyingPaymaster06.ts'
import { PaymasterError } from '../../src/paymaster/paymaster-error.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import type { Caller } from '../../src/types/paymaster/tenant.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { depositOf, newKey, readContract } from '../support/paymasters.ts'
import { nonceOf } from '../support/submitter.ts'
import { balanceOf, type WalletWorld, walletWorld } from '../support/walletWorld.ts'

let chain: DevChain
let world: WalletWorld

beforeAll(async () => {
  chain = await startDevChain()
  world = await walletWorld(chain)
}, 120_000)
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await chain?.stop()
})

const calls = () => world.service.calls
const sponsorBalance = ({ tenant }: Caller) => world.shared.read<bigint>('balanceOf', [tenant.walletAddress])
const onList = ({ tenant }: Caller, account: Address) =>
  world.shared.read<boolean>('isWhitelisted', [tenant.walletAddress, account])
const accounts = (count: number) => Array.from({ length: count }, () => newKey().address)

/** What is known of a transaction independently of who sent it; anvil takes it a moment before its block is there. */
async function sentBy(hash: Hash): Promise<{ from: Address; status: Hex }> {
  type Receipt = { from: Address; status: Hex }
  let receipt: Receipt | null = null
  while (receipt === null) receipt = await rpc<Receipt | null>(chain.url, 'eth_getTransactionReceipt', [hash])
  return { from: receipt.from, status: receipt.status }
}

/** A call whose transaction is in a block: anvil answers a moment before it is. */
async function mined<Result>(call: Promise<Result>): Promise<Result> {
  const result = await call
  await rpc(chain.url, 'evm_mine')
  return result
}

/** The refusal that a call ends with. */
async function refused(call: Promise<unknown>): Promise<{ status: number; reason: string; message: string }> {
  const error = await call.then(
    () => undefined,
    (caught) => caught,
  )
  if (!(error instanceof PaymasterError)) throw new Error(`not refused: ${String(error)}`)
  const { status, reason, message } = error
  return { status, reason, message }
}

const shared = { kind: 'shared' } as const
const one = parseEther('1')

test('a deposit adds to the balance of the sponsor at the shared paymaster', async () => {
  const caller = await world.tenant()
  const hash = await mined(calls().deposit(caller, shared, one))
  expect(await sentBy(hash)).toEqual({ from: lower(caller.tenant.walletAddress), status: '0x1' })
  expect(await sponsorBalance(caller)).toBe(one)
})

test('a withdrawal takes from it and goes to the wallet', async () => {
  const caller = await world.tenant(parseEther('2'))
  await mined(calls().deposit(caller, shared, one))
  const before = await balanceOf(chain, caller.tenant.walletAddress)
  await mined(calls().withdraw(caller, shared, parseEther('0.75')))
  expect(await sponsorBalance(caller)).toBe(parseEther('0.25'))
  expect(await balanceOf(chain, caller.tenant.walletAddress)).toBeGreaterThan(before + parseEther('0.7'))
})

test('more than the sponsor has cannot be withdrawn, and nothing is sent', async () => {
  const caller = await world.tenant()
  await mined(calls().deposit(caller, shared, 5n))
  expect(await refused(calls().withdraw(caller, shared, 6n))).toEqual({
    ...{ status: 400, reason: 'transaction_reverts' },
    message: 'The transaction would revert: balance too low',
  })
  expect(await nonceOf(chain, caller.tenant.walletAddress)).toBe(1)
})

test.each(['0.6', '0.7', '0.8'] as const)(
  'a verifying paymaster of %s is deployed once, fed, staked and drained by its tenant',
  async (version) => {
    const caller = await world.tenant()
    const { walletAddress } = caller.tenant
    const { verifyingPaymaster, txHash } = await mined(calls().deploy(caller, version))
    expect(await sentBy(txHash)).toEqual({ from: lower(walletAddress), status: '0x1' })
    const read = (name: string) =>
      readContract<Address>(chain, verifyingPaymaster, verifying06.abi as Abi, name)
    expect(await Promise.all([read('owner'), read('signer'), read('entryPoint')])).toEqual([
      walletAddress,
      walletAddress,
      entryPoints[version].address,
    ])

    expect(await refused(calls().deploy(caller, version))).toEqual({
      ...{ status: 400, reason: 'already_deployed' },
      message: `Verifying paymaster already deployed at ${verifyingPaymaster}`,
    })

    const own = { kind: 'own', version } as const
    await mined(calls().deposit(caller, own, one))
    expect(await depositOf(chain, version, verifyingPaymaster)).toBe(one)
    await mined(calls().withdraw(caller, own, parseEther('0.4')))
    expect(await depositOf(chain, version, verifyingPaymaster)).toBe(parseEther('0.6'))

    await mined(calls().addStake(caller, version, parseEther('0.1')))
    expect(await stakeOf(version, verifyingPaymaster)).toMatchObject({
      ...{ staked: true, stake: parseEther('0.1'), unstakeDelaySec: 86_400 },
    })
  },
  30_000,
)

test('the unstake delay is the one of the settings', async () => {
  const caller = await world.tenant()
  const { verifyingPaymaster } = await mined(calls().deploy(caller, '0.7'))
  await mined(world.variant({ unstakeDelay: 7 }).addStake(caller, '0.7', 1n))
  expect(await stakeOf('0.7', verifyingPaymaster)).toMatchObject({ unstakeDelaySec: 7 })
})

test('two at the same time deploy once', async () => {
  const caller = await world.tenant()
  const answers = await mined(
    Promise.allSettled([calls().deploy(caller, '0.7'), calls().deploy(caller, '0.7')]),
  )
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(await nonceOf(chain, caller.tenant.walletAddress)).toBe(1)
})

test('a deployment that was sent before a crash and not stored is found on the chain', async () => {
  const caller = await world.tenant()
  const first = await mined(calls().deploy(caller, '0.7'))
  const forgetful = await mined(world.knowing(undefined).deploy(caller, '0.7'))
  expect(forgetful).toEqual(first)
  expect(await nonceOf(chain, caller.tenant.walletAddress)).toBe(1)
})

test('without a paymaster of its own a tenant cannot use that of another', async () => {
  const [owner, stranger] = await Promise.all([world.tenant(), world.tenant()])
  await mined(calls().deploy(owner, '0.7'))
  const own = { kind: 'own', version: '0.7' } as const
  const notDeployed = { status: 400, reason: 'paymaster_not_deployed', message: 'Paymaster not deployed' }
  expect(await refused(calls().deposit(stranger, own, 1n))).toEqual(notDeployed)
  expect(await refused(calls().withdraw(stranger, own, 1n))).toEqual(notDeployed)
  expect(await refused(calls().addStake(stranger, '0.7', 1n))).toEqual(notDeployed)
  expect(await nonceOf(chain, stranger.tenant.walletAddress)).toBe(0)
})

test('one account is whitelisted, checked, listed and removed', async () => {
  const caller = await world.tenant()
  const [account] = accounts(1) as [Address]
  expect(await calls().isWhitelisted(caller, account)).toBe(false)
  const hash = await mined(calls().whitelist(caller, [account]))
  expect(await sentBy(hash)).toEqual({ from: lower(caller.tenant.walletAddress), status: '0x1' })
  expect(await onList(caller, account)).toBe(true)
  expect(await calls().isWhitelisted(caller, account)).toBe(true)
  expect(await calls().whitelisted(caller)).toEqual([account])
  await mined(calls().removeFromWhitelist(caller, [account]))
  expect(await onList(caller, account)).toBe(false)
  expect(await calls().whitelisted(caller)).toEqual([])
})

test('ten at once, of which only those that are new are sent', async () => {
  const caller = await world.tenant()
  const ten = accounts(10)
  await mined(calls().whitelist(caller, ten.slice(0, 3)))
  await mined(calls().whitelist(caller, ten))
  expect(await calls().whitelisted(caller)).toEqual(ten)
  await mined(calls().removeFromWhitelist(caller, ten.slice(1)))
  expect(await calls().whitelisted(caller)).toEqual(ten.slice(0, 1))
})

test('where nothing would change nothing is sent', async () => {
  const caller = await world.tenant()
  const [listed, other] = accounts(2) as [Address, Address]
  await mined(calls().whitelist(caller, [listed]))
  expect(await refused(calls().whitelist(caller, [listed, listed]))).toMatchObject({
    ...{ status: 409, message: 'Addresses were already added' },
  })
  expect(await refused(calls().removeFromWhitelist(caller, [other]))).toMatchObject({
    ...{ status: 409, message: 'Addresses sent were not whitelisted' },
  })
  expect(await nonceOf(chain, caller.tenant.walletAddress)).toBe(1)
})

test('eleven, or none, are no list', async () => {
  const caller = await world.tenant()
  for (const list of [accounts(11), []])
    expect(await refused(calls().whitelist(caller, list))).toMatchObject({
      status: 400,
      reason: 'invalid_data',
    })
})

test('a tenant sees and changes its own list only', async () => {
  const [first, second] = await Promise.all([world.tenant(), world.tenant()])
  const [account] = accounts(1) as [Address]
  await mined(calls().whitelist(first, [account]))
  expect(await calls().isWhitelisted(second, account)).toBe(false)
  expect(await calls().whitelisted(second)).toEqual([])
  expect(await refused(calls().removeFromWhitelist(second, [account]))).toMatchObject({ status: 409 })
  expect(await onList(first, account)).toBe(true)
})

test('a list of settled blocks and newer ones is read as one', async () => {
  const caller = await world.tenant()
  const [old, gone, young] = accounts(3) as [Address, Address, Address]
  await mined(calls().whitelist(caller, [old, gone]))
  await rpc(chain.url, 'anvil_mine', ['0x8'])
  expect(await calls().whitelisted(caller)).toEqual([old, gone])
  await mined(calls().whitelist(caller, [young]))
  await mined(calls().removeFromWhitelist(caller, [gone]))
  expect(await calls().whitelisted(caller)).toEqual([old, young])
})

test('what the wallet cannot pay is refused: the whole balance leaves nothing for gas', async () => {
  const caller = await world.tenant(one)
  const { walletAddress } = caller.tenant
  for (const amount of [one, one + 1n, 2n ** 256n - 1n])
    expect(await refused(calls().deposit(caller, shared, amount))).toEqual({
      ...{ status: 400, reason: 'balance_too_low' },
      message: `${walletAddress} Balance is less than the amount to be deposited`,
    })
  expect(await nonceOf(chain, walletAddress)).toBe(0)
  await mined(calls().deposit(caller, shared, parseEther('0.99')))
  expect(await sponsorBalance(caller)).toBe(parseEther('0.99'))
})

test('a wallet without coins cannot pay for gas', async () => {
  const caller = await world.tenant(0n)
  expect(await refused(calls().whitelist(caller, accounts(1)))).toEqual({
    ...{ status: 400, reason: 'balance_too_low' },
    message: `${caller.tenant.walletAddress} Balance is too low to pay for the gas`,
  })
})

test.each([0n, -1n, 2n ** 256n])('an amount of %p is none', async (amount) => {
  const caller = await world.tenant()
  const invalid = { status: 400, reason: 'invalid_data', message: 'Invalid data provided' }
  expect(await refused(calls().deposit(caller, shared, amount))).toEqual(invalid)
  expect(await refused(calls().withdraw(caller, shared, amount))).toEqual(invalid)
  expect(await refused(calls().addStake(caller, '0.7', amount))).toEqual(invalid)
})

test('without a shared paymaster there is none to use', async () => {
  const caller = await world.tenant()
  const none = world.variant({ sponsorPaymaster: undefined })
  const [account] = accounts(1) as [Address]
  for (const call of [
    none.deposit(caller, shared, 1n),
    none.withdraw(caller, shared, 1n),
    none.whitelist(caller, [account]),
    none.isWhitelisted(caller, account),
    none.whitelisted(caller),
  ])
    expect(await refused(call)).toMatchObject({ status: 400, reason: 'no_global_paymaster' })
})

test('a version that the chain does not have is refused', async () => {
  const caller = await world.tenant()
  const { deploy } = world.variant({ versions: ['0.7'] })
  expect(await refused(deploy(caller, '0.6'))).toMatchObject({ status: 400, reason: 'unsupported_version' })
})

test('the audit log tells who did what, with what became of it', async () => {
  const caller = await world.tenant()
  const [account] = accounts(1) as [Address]
  const listed = await mined(calls().whitelist(caller, [account]))
  const deposited = await mined(calls().deposit(caller, shared, 7n))
  const { txHash, verifyingPaymaster } = await mined(calls().deploy(caller, '0.7'))
  const staked = await mined(calls().addStake(caller, '0.7', 3n))
  const entries = (await world.audit(caller)).toReversed()
  const own = entries.filter(({ keyId }) => keyId === caller.key.id)
  const id = expect.stringMatching(/^chain 31337, .*, wallet-[0-9a-f-]{36}/)
  expect(own.map(({ action, subject }) => [action, subject])).toEqual([
    ['wallet.whitelist', id],
    ['wallet.whitelist.sent', expect.stringContaining(`${account}, wallet-`)],
    ['wallet.deposit', expect.stringContaining('7 wei to the shared paymaster')],
    ['wallet.deposit.sent', expect.stringContaining(deposited)],
    ['wallet.deploy', expect.stringContaining(verifyingPaymaster)],
    ['wallet.deploy.sent', expect.stringContaining(txHash)],
    ['paymaster.deploy', expect.stringContaining(txHash)],
    ['wallet.stake', expect.stringContaining('3 wei in the own paymaster of 0.7')],
    ['wallet.stake.sent', expect.stringContaining(staked)],
  ])
  expect(own[1]?.subject).toEndWith(listed)
})

async function stakeOf(version: keyof typeof entryPoints, paymaster: Address) {
  const { address } = entryPoints[version]
  return readContract<{ staked: boolean; stake: bigint; unstakeDelaySec: number }>(
    ...([chain, address, entryPoint07Abi as Abi, 'getDepositInfo', [paymaster]] as const),
  )
}

const lower = (address: Address) => address.toLowerCase() as Address
