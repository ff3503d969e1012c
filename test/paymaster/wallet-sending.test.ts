import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type Hash, type Hex, parseEther, parseTransaction } from 'viem'
import { Unavailable } from '../../src/base/errors.ts'
import { paymasterDeployment } from '../../src/contracts/paymaster/deployment.ts'
import type { Caller } from '../../src/types/paymaster/tenant.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { fees, nonceOf, placeOf } from '../support/submitter.ts'
import { type WalletWorld, walletWorld } from '../support/walletWorld.ts'

let chain: DevChain
let world: WalletWorld

beforeAll(async () => {
  chain = await startDevChain()
  world = await walletWorld(chain)
}, 120_000)
beforeEach(async () => {
  await rpc(chain.url, 'evm_setAutomine', [false])
  await rpc(chain.url, 'evm_mine')
  await world.restart()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await chain?.stop()
})

const shared = { kind: 'shared' } as const
const deposit = (caller: Caller, amount = 1n) => world.service.calls.deposit(caller, shared, amount)
const sponsorBalance = ({ tenant }: Caller) => world.shared.read<bigint>('balanceOf', [tenant.walletAddress])
/** By nonce, of all that reached the node. */
const versions = () =>
  new Set(world.service.bench.sent)
    .values()
    .map((raw) => parseTransaction(raw))
    .toArray()
const minedNonce = ({ tenant }: Caller) => nonceOf(chain, tenant.walletAddress)
/** What a call is refused with; it does not block messages of workers. */
const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: Error) => error,
  )
/** The tenant, with coins that are in a block. */
async function tenant(balance?: bigint): Promise<Caller> {
  const caller = await world.tenant(balance)
  await rpc(chain.url, 'evm_mine')
  return caller
}

test('twenty at once of one wallet take consecutive nonces and are all mined', async () => {
  const caller = await tenant()
  const hashes = await Promise.all(
    Array.from({ length: 20 }, (_, index) => deposit(caller, BigInt(index + 1))),
  )
  expect(new Set(hashes).size).toBe(20)
  expect(versions().map(({ nonce }) => nonce)).toEqual(Array.from({ length: 20 }, (_, nonce) => nonce))
  expect(new Set(await Promise.all(hashes.map((hash) => placeOf(chain, hash))))).toEqual(new Set(['pool']))
  await world.service.bench.mine()
  expect(await minedNonce(caller)).toBe(20)
  expect(await sponsorBalance(caller)).toBe(210n)
})

test('of two wallets each has its own line', async () => {
  const callers = [await tenant(), await tenant()] as const
  const hashes = await Promise.all(
    callers.flatMap((caller) => Array.from({ length: 20 }, () => deposit(caller))),
  )
  expect(new Set(hashes).size).toBe(40)
  await world.service.bench.mine()
  expect(await Promise.all(callers.map(minedNonce))).toEqual([20, 20])
  expect(await Promise.all(callers.map(sponsorBalance))).toEqual([20n, 20n])
})

test('a wallet sends again when all of it is settled', async () => {
  const caller = await tenant()
  await deposit(caller)
  for (let block = 0; block < 6; block++) await world.service.bench.mine()
  await deposit(caller)
  await world.service.bench.mine()
  expect(await minedNonce(caller)).toBe(2)
})

test('what is under way counts against the balance, before it is mined and after', async () => {
  const caller = await tenant(parseEther('1'))
  const half = parseEther('0.6')
  const answers = await Promise.allSettled([deposit(caller, half), deposit(caller, half)])
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  await world.service.bench.mine()
  expect(await failure(deposit(caller, half))).toMatchObject({ reason: 'balance_too_low' })
  await deposit(caller, parseEther('0.3'))
  await world.service.bench.mine()
  expect(await sponsorBalance(caller)).toBe(parseEther('0.9'))
})

test('more than sixty-four at once of one wallet are too many', async () => {
  const caller = await tenant()
  const answers = await Promise.allSettled(Array.from({ length: 65 }, () => deposit(caller)))
  const failed = answers.filter((answer) => answer.status === 'rejected')
  expect(failed.map(({ reason }) => reason.name)).toEqual(['LimitExceeded'])
  await world.service.bench.mine()
  expect(await sponsorBalance(caller)).toBe(64n)
}, 30_000)

test('an answer that was lost is asked for again with the same transaction', async () => {
  const caller = await tenant()
  const { bench } = world.service
  bench.faults.sending = 'answer-lost'
  const hashing = deposit(caller)
  await bench.host.told('submitted')
  bench.faults.sending = 'none'
  const hash = await hashing
  expect(await placeOf(chain, hash)).toBe('pool')
  expect(versions().length).toBe(1)
  expect(bench.sent.length).toBeGreaterThan(1)
  await bench.mine()
  expect(await sponsorBalance(caller)).toBe(1n)
}, 20_000)

test('a node that cannot be reached leaves it unknown, and it is not sent with another nonce', async () => {
  const caller = await tenant()
  const { bench } = world.service
  bench.faults.sending = 'lost'
  expect(await failure(deposit(caller, 3n))).toBeInstanceOf(Unavailable)
  bench.faults.sending = 'none'
  await bench.head()
  await bench.mine()
  expect(versions().length).toBe(1)
  expect(await minedNonce(caller)).toBe(1)
  expect(await sponsorBalance(caller)).toBe(3n)
}, 30_000)

test('a kill between signing and answer: what was signed is sent again, once', async () => {
  // Nobody hears their answers.
  const dying: Promise<unknown>[] = []
  for (const fault of ['lost', 'answer-lost'] as const) {
    const caller = await tenant()
    world.service.bench.faults.sending = fault
    dying.push(failure(deposit(caller, 5n)))
    await world.service.bench.host.told('submitted')
    const signed = journaled(caller)
    const { bench } = await world.restart()
    await bench.head()
    expect(bench.sent).toEqual(expect.arrayContaining(signed))
    expect(new Set(bench.sent).size).toBe(1)
    await bench.mine()
    expect(await minedNonce(caller)).toBe(1)
    expect(await sponsorBalance(caller)).toBe(5n)
  }
})

test('the operator sees what of a wallet is under way, also after a kill', async () => {
  const caller = await tenant()
  const { walletAddress } = caller.tenant
  const reported = async () => {
    const { wallets } = await world.service.bench.submitter.report({ chainId: chain.chainId })
    return wallets.filter(({ address }) => address === walletAddress)
  }
  expect(await reported()).toEqual([])
  const hash = await deposit(caller)
  const underWay = [{ open: [{ nonce: 0, state: 'pending', operations: 0, versions: [{ hash }] }] }]
  expect(await reported()).toMatchObject(underWay)
  await world.restart()
  expect(await reported()).toMatchObject(underWay)
  for (let block = 0; block < 6; block++) await world.service.bench.mine()
  expect(await reported()).toEqual([])
})

test('after a kill the next transaction takes the next nonce, with the key that comes later', async () => {
  const caller = await tenant()
  await Promise.all([deposit(caller), deposit(caller)])
  await world.restart()
  await deposit(caller)
  await world.service.bench.mine()
  expect(await minedNonce(caller)).toBe(3)
  expect(await sponsorBalance(caller)).toBe(3n)
})

test('a deployment under way before a kill is joined, not sent again', async () => {
  const caller = await tenant()
  const first = await world.knowing(undefined).deploy(caller, '0.7')
  await world.restart()
  expect(await world.service.calls.deploy(caller, '0.7')).toEqual(first)
  await world.service.bench.mine()
  expect(await minedNonce(caller)).toBe(1)
})

test('a paymaster that is not in a block yet is not called', async () => {
  const caller = await tenant()
  const { verifyingPaymaster } = await world.service.calls.deploy(caller, '0.7')
  expect(await failure(world.service.calls.addStake(caller, '0.7', 1n))).toMatchObject({
    message: `The paymaster ${verifyingPaymaster} is not in a block yet`,
  })
  expect(await failure(world.service.calls.deploy(caller, '0.7'))).toMatchObject({
    reason: 'already_deployed',
  })
})

test('one that is stuck is replaced with higher fees, and waited for under its first hash', async () => {
  const caller = await tenant()
  const { bench, calls } = world.service
  const hash = await deposit(caller)
  const mined = calls.mined(hash)
  const market = { ...fees, maxFeePerGas: fees.maxFeePerGas * 4n }
  for (let block = 0; block < 2; block++) {
    await rpc(chain.url, 'anvil_dropTransaction', [hash])
    await bench.mine({ fees: market })
  }
  await bench.mine()
  await mined
  expect(versions().map(({ nonce, maxFeePerGas }) => ({ nonce, maxFeePerGas }))).toEqual([
    { nonce: 0, maxFeePerGas: fees.maxFeePerGas },
    { nonce: 0, maxFeePerGas: market.maxFeePerGas },
  ])
  expect(await sponsorBalance(caller)).toBe(1n)
})

test('who waits is told when it is in a block', async () => {
  const caller = await tenant()
  const hash = await deposit(caller)
  const mined = world.service.calls.mined(hash)
  await world.service.bench.mine()
  await mined
  expect(await placeOf(chain, hash)).toBe('block')
  const { calls } = await world.restart()
  await calls.mined(hash)
})

test('and told when it failed there', async () => {
  const caller = await tenant()
  await deposit(caller, 10n)
  await world.service.bench.mine()
  // Each is good by itself; together they are too much.
  const hashes = await Promise.all([1, 2].map(() => world.service.calls.withdraw(caller, shared, 7n)))
  await world.service.bench.mine()
  const answers = await Promise.all(hashes.map((hash) => failure(world.service.calls.mined(hash))))
  expect(answers).toMatchObject([
    undefined,
    { reason: 'transaction_reverted', message: `The transaction ${hashes[1]} was reverted` },
  ])
  expect(await sponsorBalance(caller)).toBe(3n)
})

test('a deployment that failed may be sent again, to the same address', async () => {
  const caller = await tenant()
  await deposit(caller, 10n)
  await world.service.bench.mine()
  const hashes = await Promise.all([1, 2].map(() => world.service.calls.withdraw(caller, shared, 7n)))
  await world.service.bench.mine()
  const [, transactionHash = '0x'] = hashes
  const { id: tenantId, walletAddress } = caller.tenant
  const plan = { kind: 'verifying', version: '0.7', owner: walletAddress, signer: walletAddress } as const
  const { address } = paymasterDeployment(plan)
  const place = { tenantId, chainId: chain.chainId, version: '0.7', address } as const
  const { deploy } = world.knowing({ ...place, transactionHash })
  expect((await deploy(caller, '0.7')).verifyingPaymaster).toBe(address)
  await world.service.bench.mine()
  expect(await rpc<Hex>(chain.url, 'eth_getCode', [address, 'latest'])).not.toBe('0x')
  expect(await failure(deploy(caller, '0.7'))).toMatchObject({ reason: 'already_deployed' })
})

test('a transaction that a reorg takes out is sent again as it was', async () => {
  const caller = await tenant()
  const { bench } = world.service
  const hash: Hash = await deposit(caller)
  await bench.mine()
  await bench.reorg(1)
  await bench.mine()
  expect(await placeOf(chain, hash)).toBe('block')
  expect(await sponsorBalance(caller)).toBe(1n)
})

/** Raw transactions of a wallet in the journal. */
function journaled({ tenant }: Caller): readonly Hex[] {
  return [...world.service.bench.host.open.values()].flatMap(({ transactions }) =>
    transactions.filter(({ relayer }) => relayer === tenant.walletAddress).map(({ raw }) => raw),
  )
}
