import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { parseEther } from 'viem'
import { Unavailable } from '../../src/base/errors.ts'
import { PaymasterError } from '../../src/paymaster/paymaster-error.ts'
import { createWhitelists } from '../../src/paymaster/whitelists/whitelists.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { requiredPrefund } from '../../src/types/userop-cost.ts'
import { execute, signedOperation, simpleAccount, type TestAccount } from '../support/accounts.ts'
import { address, facts, hash } from '../support/builders.ts'
import { openContracts } from '../support/open.ts'
import { outcome } from '../support/outcome.ts'
import { handleOps, newKey, pennilessAccount, type TestPaymaster } from '../support/paymasters.ts'
import {
  type PaymasterWorld,
  paymasterWorld,
  sponsored,
  sponsorship,
  type TestTenant,
} from '../support/paymasterWorld.ts'
import { latestBlock } from '../support/simulation.ts'

const version = '0.7'

let world: PaymasterWorld
let account: TestAccount
beforeAll(async () => {
  world = await paymasterWorld()
  account = await pennilessAccount(world.chain, version)
})
afterAll(() => world[Symbol.asyncDispose]())

/** A tenant with a paymaster of 0.7, and a policy that takes everything. */
let tenant: TestTenant
let paymaster: TestPaymaster
let policyId: number
beforeEach(async () => {
  tenant = await world.tenant()
  paymaster = await world.deployFor(tenant, version)
  policyId = (await world.policies.add(tenant.caller, {})).id
})

const promised = () => world.books.ledger.spent(policyId).count
const change = (input: object) => world.policies.update(tenant.caller, policyId, input)
const ask = async (changes: Partial<UserOperation> = {}, port = world.paymaster) =>
  outcome(port.data(sponsored(tenant, await world.operation(account, changes))))
const exhausted = "400 global_limit_count: Sponsorship policy's global limit in operations is exceeded"
const blockRest = { parentHash: hash(0), baseFeePerGas: 1n, gasLimit: 30_000_000n }

describe('who is to pay', () => {
  const vp =
    '400 no_global_paymaster: Please use useVP flag to use your deployed verifying paymaster as global paymaster is not defined'

  test.each(['sponsorOperation', 'stub', 'data'] as const)(
    '%s: the shared paymaster is of 0.6 only',
    async (call) => {
      const op = await world.operation(account)
      expect(await outcome(world.paymaster[call](sponsored(tenant, op, { useVp: false })))).toBe(vp)
    },
  )
  test('a chain may have no shared paymaster', async () => {
    const port = world.variant({ sponsorPaymaster: undefined })
    const op = await world.operation(await pennilessAccount(world.chain, '0.6'))
    expect(await outcome(port.data(sponsored(tenant, op, { useVp: false })))).toBe(vp)
  })
  test.each(['sponsorOperation', 'stub', 'data'] as const)(
    '%s: a tenant has no paymaster before it deploys one',
    async (call) => {
      const other = await world.tenant()
      const error = await world.paymaster[call](sponsored(other, await world.operation(account))).then(
        () => undefined,
        (error) => error as PaymasterError,
      )
      expect(error).toBeInstanceOf(PaymasterError)
      expect(error).toMatchObject({
        ...{ status: 400, message: 'Paymaster not deployed', code: -32501 },
        details: { details: 'Verifying paymaster not deployed' },
      })
    },
  )
  test('a paymaster of another version is none', async () => {
    const op = await world.operation(await pennilessAccount(world.chain, '0.8'))
    expect(await outcome(world.paymaster.data(sponsored(tenant, op)))).toBe(
      '400 paymaster_not_deployed: Paymaster not deployed',
    )
  })
})

describe('policies', () => {
  const naming = (id: number, from = tenant) =>
    world
      .operation(account)
      .then((op) =>
        outcome(world.paymaster.data(sponsored(from, op, { context: sponsorship({ policyId: id }) }))),
      )
  const unknown = '404 policy_not_found: Sponsorship policy not found'

  test('an id that is unknown, or of another tenant', async () => {
    const stranger = await world.tenant()
    expect(await naming(987_654)).toBe(unknown)
    expect(await naming(policyId, stranger)).toBe(unknown)
  })
  test("another tenant's public one with a limit: its owner signs, pays and counts", async () => {
    await change({ isPublic: true, globalMaximumApplicable: true, globalMaximumOpCount: 1 })
    const stranger = await world.tenant()
    expect(await naming(policyId, stranger)).toBe('fine')
    expect(promised()).toBe(1)
    const other = await pennilessAccount(world.chain, version)
    const request = sponsored(stranger, await world.operation(other), {
      context: sponsorship({ policyId }),
    })
    expect(await outcome(world.paymaster.data(request))).toBe(exhausted)
  })
  test('are enforced by the stub too', async () => {
    await change({ addressBlockList: [account.address] })
    const op = await world.operation(account)
    const refusal = '400 sender_blocked: Sender is on the block list of the sponsorship policy'
    for (const call of ['sponsorOperation', 'stub', 'data'] as const)
      expect(await outcome(world.paymaster[call](sponsored(tenant, op)))).toBe(refusal)
  })
  test.each([
    [0n, 'fine'],
    [
      1n,
      "400 per_operation_limit_native: Sponsorship policy's per operation limit in native currency is exceeded",
    ],
  ])('a limit of what the operation can cost, less %d wei', async (less, expected) => {
    const stub = await world.paymaster.stub(sponsored(tenant, await world.operation(account)))
    const cost = requiredPrefund({ ...(await world.operation(account)), ...stub }) - less
    const digits = cost.toString().padStart(19, '0')
    const limit = `${digits.slice(0, -18)}.${digits.slice(-18)}`
    await change({ perOpMaximumApplicable: true, perOpMaximumNative: limit })
    expect(await ask()).toBe(expected)
  })
  test('that are gone when the operation has been simulated have signed for nothing', async () => {
    const port = world.variant(
      {},
      {
        async rehearse() {
          await world.policies.remove(tenant.caller, policyId)
          return { kind: 'accepted', facts: facts(await world.operation(account)) }
        },
      },
    )
    expect(await ask({}, port)).toBe(unknown)
    expect(promised()).toBe(0)
  })
})

describe('whitelists', () => {
  const refusal = '400 sender_not_whitelisted: Sender is not whitelisted'
  const lists = () => createWhitelists({ ...world, now: () => world.clock.now })
  const list = (id: number | undefined, who: TestAccount) => lists().add(tenant.caller, id, [who.address])

  test('a policy with one sponsors only the senders on it', async () => {
    const other = await pennilessAccount(world.chain, version)
    await list(policyId, other)
    expect(await ask()).toBe(refusal)
    await list(policyId, account)
    expect(await ask()).toBe('fine')
  })
  test('a list that has become empty is a list still, until its policy is told otherwise', async () => {
    await list(policyId, account)
    await lists().remove(tenant.caller, policyId, [account.address])
    expect(await ask()).toBe(refusal)
    await world.policies.update(tenant.caller, policyId, { whitelistApplicable: false })
    expect(await ask()).toBe('fine')
  })
  test('who is there already is no reason to apply a list that was lifted', async () => {
    await list(policyId, await pennilessAccount(world.chain, version))
    const [listed = account.address] = await lists().list(tenant.caller, policyId)
    await world.policies.update(tenant.caller, policyId, { whitelistApplicable: false })
    expect(await outcome(lists().add(tenant.caller, policyId, [listed]))).toStartWith(
      '409 already_whitelisted',
    )
    expect(await ask()).toBe('fine')
  })
  test('a tenant without policies sponsors only the senders on its own', async () => {
    await world.policies.remove(tenant.caller, policyId)
    expect(await ask()).toBe(refusal)
    await list(undefined, account)
    expect(await ask()).toBe('fine')
  })
  test('a tenant with a disabled policy has one', async () => {
    await list(undefined, account)
    await world.policies.setEnabled(tenant.caller, policyId, false)
    expect(await ask()).toBe(
      '400 no_policy_in_scope: No enabled sponsorship policy covers this chain and EntryPoint version',
    )
  })
  test('the shared paymaster goes by the one on chain, with a policy or without', async () => {
    const { shared, chain } = world
    const old = await pennilessAccount(chain, '0.6')
    const as = tenant.wallet.address
    await shared.write('depositFor', [as], { value: parseEther('1') })
    const request = sponsored(tenant, await world.operation(old))
    await list(undefined, old)
    expect(await outcome(world.paymaster.data(request))).toBe(refusal)
    await shared.write('addToWhitelist', [old.address], { as })
    expect(await outcome(world.paymaster.data(request))).toBe('fine')
    await world.policies.remove(tenant.caller, policyId)
    expect(await outcome(world.paymaster.data(request))).toBe('fine')
  })
})

describe('the deposit', () => {
  const refusal =
    '400 deposit_too_low: Paymaster deposit does not cover the operation beside what is promised already'

  test('covers the operation, to the wei', async () => {
    const poor = await world.tenant()
    const stub = await world.paymaster.stub(sponsored(tenant, await world.operation(account)))
    const cost = requiredPrefund({ ...(await world.operation(account)), ...stub })
    const own = await world.deployFor(poor, version, cost - 1n)
    await world.policies.add(poor.caller, {})
    const request = sponsored(poor, await world.operation(account))
    expect(await outcome(world.paymaster.data(request))).toBe(refusal)
    await own.write('deposit', [], { value: 1n })
    expect(await outcome(world.paymaster.data(request))).toBe('fine')
    const other = sponsored(poor, await world.operation(await pennilessAccount(world.chain, version)))
    expect(await outcome(world.paymaster.data(other))).toBe(refusal)
    await own.write('deposit', [], { value: 2n * cost })
    expect(await outcome(world.paymaster.data(other))).toBe('fine')
  })
  test("of one sponsor at the shared paymaster is not another's", async () => {
    const { shared, chain } = world
    const old = await pennilessAccount(chain, '0.6')
    await shared.write('depositFor', [newKey().address], { value: parseEther('10') })
    await shared.write('addToWhitelist', [old.address], { as: tenant.wallet.address })
    expect(await outcome(world.paymaster.data(sponsored(tenant, await world.operation(old))))).toBe(refusal)
  })
})

test('a deposit is looked at again when the chain has moved on meanwhile', async () => {
  const { chain, books, node } = world
  const first = await pennilessAccount(chain, version)
  const second = await pennilessAccount(chain, version)
  const op = await world.operation(account)
  const cost = requiredPrefund({ ...op, ...(await world.paymaster.stub(sponsored(tenant, op))) })
  const poor = await world.tenant()
  await world.policies.add(poor.caller, {})
  const own = await world.deployFor(poor, version, 2n * cost)
  const asked = await world.operation(first)
  const fields = await world.paymaster.data(sponsored(poor, asked))
  const paid = await world.signedBy(first, { ...asked, ...fields })
  const key = { chainId: chain.chainId, paymaster: own.address, sender: first.address, nonce: paid.nonce }

  let block = await latestBlock(chain)
  const heads = {
    get current() {
      return { ...block, ...blockRest }
    },
    async refresh() {
      block = await latestBlock(chain)
    },
  }
  /** While the operation is simulated, the first one is paid, and another is promised in its place. */
  async function rehearse() {
    const { operations } = await handleOps(chain, [paid])
    const [event] = operations
    if (event === undefined) throw new Error('nothing was paid')
    await heads.refresh()
    const payment = { ...key, hash: event.userOpHash, actualGasCost: event.actualGasCost }
    books.ledger.settle(chain.chainId, block, [payment])
    const claim = { tenantId: poor.caller.tenant.id, policyId: undefined, native: cost, usd: 0n }
    const promise = { ...claim, userOpHash: hash(7), validUntil: 0 }
    await books.reserve({ ...key, sender: second.address }, promise)
    return { kind: 'accepted', facts: facts(op) } as const
  }
  const port = world.variant({}, { heads, node, rehearse })
  expect(await outcome(port.data(sponsored(poor, op)))).toStartWith('400 deposit_too_low')
})

test("an own paymaster that is not staked yet signs all the same: that is its sponsor's to mend", async () => {
  const breaking = (entity: string) =>
    world.variant(
      {},
      {
        rehearse: async () => ({
          kind: 'rejected',
          error: { code: -32502, message: `${entity} is not staked`, data: { rule: 'STO-031', entity } },
        }),
      },
    )
  expect(await ask({}, breaking('account'))).toBe('400 operation_fails: account is not staked')
  expect(promised()).toBe(0)
  expect(await ask({}, breaking('paymaster'))).toBe('fine')
})

describe('an operation that would fail for more than its signature', () => {
  afterEach(() => expect(promised()).toBe(0))

  test('a nonce that is used', async () => {
    expect(await ask({ nonce: 0n })).toStartWith('400 operation_fails: AA25 invalid account nonce')
  })
  test('an account that is not there', async () => {
    const missing = await simpleAccount(world.chain, version)
    const op = await signedOperation(world.chain, missing, { factory: undefined, factoryData: '0x' })
    expect(await outcome(world.paymaster.data(sponsored(tenant, op)))).toStartWith(
      '400 operation_fails: AA20 account not deployed',
    )
  })
  test('too little gas for the account, or for the paymaster', async () => {
    expect(await ask({ verificationGasLimit: 10_000n })).toMatch(/^400 operation_fails: AA2[36]/)
    const op = { ...(await world.operation(account)), paymasterVerificationGasLimit: 5_000n }
    expect(await outcome(world.paymaster.data(sponsored(tenant, op)))).toMatch(
      /^400 operation_fails: AA3[36]/,
    )
  })
  test('an account that reverts', async () => {
    const op = await (await openContracts(world.chain)).operation(version, {}, { refusal: 'not today' })
    expect(await outcome(world.paymaster.data(sponsored(tenant, op)))).toBe(
      '400 operation_fails: AA23 reverted: not today',
    )
  })
  test("a paymaster that takes another's signature by now, in every version", async () => {
    await paymaster.write('setSigner', [newKey().address])
    expect(await ask()).toBe('400 operation_fails: AA34 signature error')
    const own = await world.deployFor(tenant, '0.6')
    await own.write('setSigner', [newKey().address])
    const op = await world.operation(await pennilessAccount(world.chain, '0.6'))
    expect(await outcome(world.paymaster.data(sponsored(tenant, op, { useVp: true })))).toBe(
      '400 operation_fails: AA34 signature error',
    )
  })
  test('calls that revert have no estimate', async () => {
    const callData = execute(world.token.address, 0n, world.token.call('transfer', [address(1), 1n]))
    const op = await world.operation(account, { callData })
    expect(await outcome(world.paymaster.sponsorOperation(sponsored(tenant, op)))).toStartWith(
      '400 operation_fails: ERC20InsufficientBalance',
    )
  })
  test('gas limits and fees that are not known yet', async () => {
    const refusal =
      '400 gas_missing: The operation needs its gas limits and fees: they are part of what is signed'
    for (const field of ['verificationGasLimit', 'preVerificationGas', 'maxFeePerGas'])
      expect(await ask({ [field]: 0n })).toBe(refusal)
    expect(await ask({ callGasLimit: 0n, verificationGasLimit: 0n, preVerificationGas: 0n })).toBe(refusal)
  })
  test('a window that cannot be', async () => {
    const op = await world.operation(account)
    const context = sponsorship({ validUntil: world.clock.now })
    expect(await outcome(world.paymaster.stub(sponsored(tenant, op, { context })))).toBe(
      '400 invalid_window: Invalid validity window: validUntil is in the past',
    )
  })
})

describe('our own trouble gives no signature, and reserves nothing', () => {
  const trouble = '-32603 Internal error'
  afterEach(() => expect(promised()).toBe(0))

  test('a price source that is down', async () => {
    const price = { kind: 'http', url: 'http://127.0.0.1:1', id: 'x', maxAge: 60, timeoutMs: 1000 } as const
    const port = world.variant({ nativePrice: price })
    expect(await ask({}, port)).toBe('-32603 No current price is known')
  })
  test('a simulation that could not tell', async () => {
    const port = world.variant({}, { rehearse: async () => ({ kind: 'unknown', cause: 'no thread' }) })
    expect(await ask({}, port)).toBe(trouble)
  })
  test('a node that is down', async () => {
    const down = async () => {
      throw new Unavailable('no node')
    }
    const port = world.variant({}, { node: { ...world.node, request: down, requestAt: down } })
    expect(await ask({}, port)).toBe(trouble)
  })
  test('a store that is full', async () => {
    const books = { ...world.books, reserve: () => Promise.reject(new Unavailable('disk full')) }
    expect(await ask({}, world.variant({}, { books }))).toBe(trouble)
  })
  test('a chain that is faster than we can look', async () => {
    const { node } = world
    let looked = 0
    const heads = {
      get current() {
        looked += 1
        return { number: looked, hash: hash(looked), timestamp: 0, ...blockRest }
      },
      refresh: async () => {},
    }
    const requestAt: typeof node.requestAt = (method, params, _at, extra) =>
      node.requestAt(method, params, 'latest', extra)
    expect(await ask({}, world.variant({}, { heads, node: { ...node, requestAt } }))).toBe(trouble)
  })
  test('an estimate that is not to be had', async () => {
    const estimate = () => Promise.reject(new Unavailable('no thread'))
    const op = await world.operation(account)
    const bundler = { estimate, gasPrice: estimate, hash: estimate }
    const port = world.variant({}, { bundler })
    expect(await outcome(port.sponsorOperation(sponsored(tenant, op)))).toBe(trouble)
  })
})

test('of 200 requests at once, a limit of 100 operations lets 100 through', async () => {
  await paymaster.write('deposit', [], { value: parseEther('10') })
  await change({ globalMaximumApplicable: true, globalMaximumOpCount: 100 })
  const accounts = await Promise.all(Array.from({ length: 200 }, () => simpleAccount(world.chain, version)))
  const ops = await Promise.all(accounts.map((own) => signedOperation(world.chain, own)))
  const outcomes = await Promise.all(ops.map((op) => outcome(world.paymaster.data(sponsored(tenant, op)))))
  const counts = Map.groupBy(outcomes, (text) => text)
  expect(Object.fromEntries([...counts].map(([text, all]) => [text, all.length]))).toEqual({
    fine: 100,
    [exhausted]: 100,
  })
  expect(promised()).toBe(100)
})

test('of many requests at once, a deposit lets through what it covers', async () => {
  const poor = await world.tenant()
  await world.policies.add(poor.caller, {})
  const accounts = await Promise.all(Array.from({ length: 20 }, () => simpleAccount(world.chain, version)))
  const ops = await Promise.all(accounts.map((own) => signedOperation(world.chain, own)))
  const [first] = ops
  if (first === undefined) throw new Error('no operation')
  const stub = await world.paymaster.stub(sponsored(tenant, first))
  await world.deployFor(poor, version, 7n * requiredPrefund({ ...first, ...stub }))
  const outcomes = await Promise.all(ops.map((op) => outcome(world.paymaster.data(sponsored(poor, op)))))
  expect(outcomes.filter((text) => text === 'fine').length).toBe(7)
})
