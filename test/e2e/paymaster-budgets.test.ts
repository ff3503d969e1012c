import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Address, formatEther, numberToHex, parseEventLogs, type TransactionReceipt } from 'viem'
import { entryPoint07Abi } from 'viem/account-abstraction'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { formatUserOperation, parseUserOperation } from '../../src/types/rpc-userop.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { sign, simpleAccount, type TestAccount } from '../support/accounts.ts'
import { minedBundle } from '../support/bundles.ts'
import { call, RpcError, send, type WireReceipt, watchStates } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { fleet, operation } from '../support/fleet.ts'
import {
  addressOf,
  ownPaymaster,
  type PaymasterHome,
  paymasterHome,
  rest,
  type TestKey,
} from '../support/paymasterService.ts'
import type { RunningService } from '../support/service.ts'
import { tricksters } from '../support/tricksters.ts'

let chain: DevChain
let home: PaymasterHome
let service: RunningService
let key: TestKey
let paymaster: Address
let accounts: TestAccount[]

const reorgDepth = 4
/** Nobody may have more than ten operations open, so each test has senders of its own. */
const senders = { ofLimits: 16, ofCrowds: 40, others: 4 }

beforeAll(async () => {
  chain = await startDevChain()
  accounts = await fleet(chain, '0.7', senders.ofLimits + senders.ofCrowds + senders.others)
  home = await paymasterHome(chain)
  service = await serve()
  key = await home.createKey('Ann')
  paymaster = await ownPaymaster(service, key, '0.7', [accountOf(0).address], '50')
}, 60_000)
afterAll(async () => {
  await service?.kill('SIGTERM')
  home?.remove()
  await chain?.stop()
})

/** A coin is worth 2,500 US dollars. */
const serve = () => home.serve('--reorg-depth', String(reorgDepth))
const accountOf = (index: number): TestAccount => {
  const account = accounts[index]
  if (account === undefined) throw new Error('an account for each test')
  return account
}

/** Together with the fee: 0.004 coins, or 10 US dollars. */
const gas = {
  ...{ callGasLimit: 200_000n, verificationGasLimit: 400_000n, preVerificationGas: 100_000n },
  ...{ paymasterVerificationGasLimit: 200_000n, paymasterPostOpGasLimit: 100_000n },
  ...{ maxFeePerGas: 4_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
}
let nonceKeys = 0n
/** An operation whose nonce no other has. */
const fresh = (account: TestAccount, changes: Partial<UserOperation> = {}): Promise<UserOperation> =>
  operation(chain, account, { ...gas, paymaster, nonce: ++nonceKeys << 64n, ...changes })

async function addPolicy(limits: object): Promise<number> {
  const { status, body } = await rest(service, key, 'POST', '/addPolicy', { name: 'limits', ...limits })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.id
}

/** The operation as it is paid for. @throws RpcError */
async function sponsored(op: UserOperation, context: object): Promise<UserOperation> {
  const wire = formatUserOperation({ ...op, signature: '0x' })
  const chainId = numberToHex(chain.chainId)
  const url = addressOf(service, key, chain, true)
  const entryPoint = entryPoints[op.version].address
  const fields = await call<object>(url, 'pm_getPaymasterData', wire, entryPoint, chainId, context)
  return parseUserOperation({ ...wire, ...fields }, op.version, 'complete')
}
/** `signed`, or the code of the refusal. */
const outcome = (op: UserOperation, context: object): Promise<unknown> =>
  sponsored(op, context).then(
    () => 'signed',
    (error) => {
      if (error instanceof RpcError) return error.error.data?.code
      throw error
    },
  )

type Usage = { usedNative: string; usedOpCount: number }
async function usageOf(policyId: number): Promise<Usage> {
  const { usedNative, usedOpCount } = (await rest(service, key, 'GET', `/policy/${policyId}/usage`)).body
  return { usedNative, usedOpCount }
}
/** Asked until it is so: the ledger follows the chain. */
async function usageBecomes(policyId: number, expected: Usage): Promise<void> {
  const text = JSON.stringify(expected)
  while (JSON.stringify(await usageOf(policyId)) !== text);
}
const usage = (native: bigint, usedOpCount: number): Usage => ({
  usedNative: parseNative(native),
  usedOpCount,
})
const parseNative = (native: bigint): string => {
  const [whole, fraction = ''] = formatEther(native).split('.')
  return `${whole}.${fraction.padEnd(18, '0')}`
}
const promised = usage(4n * 10n ** 15n, 1)

const counts = (outcomes: readonly unknown[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(outcomes, String)].map(([text, all]) => [text, all.length]))

/** Each limit with what two operations of 10 US dollars (one, where it is for each) come to, and a bit less and more. */
const limits = [
  ['perOpMaximumUsd', ['9.9999', '10', '10.0001'], 'per_operation_limit_usd'],
  [
    'perOpMaximumNative',
    ['0.003999999999999999', '0.004', '0.004000000000000001'],
    'per_operation_limit_native',
  ],
  ['perUserMaximumUsd', ['19.9999', '20', '20.0001'], 'per_user_limit_usd'],
  [
    'perUserMaximumNative',
    ['0.007999999999999999', '0.008', '0.008000000000000001'],
    'per_user_limit_native',
  ],
  ['perUserMaximumOpCount', [1, 2, 3], 'per_user_limit_count'],
  ['globalMaximumUsd', ['19.9999', '20', '20.0001'], 'global_limit_usd'],
  ['globalMaximumNative', ['0.007999999999999999', '0.008', '0.008000000000000001'], 'global_limit_native'],
  ['globalMaximumOpCount', [1, 2, 3], 'global_limit_count'],
] as const

test.each(limits)('%s: above it nothing is signed, at it and below it is', async (field, values, refusal) => {
  const reach = field.slice(0, field.indexOf('Maximum'))
  const outcomes: unknown[] = []
  for (const [index, value] of values.entries()) {
    const policyId = await addPolicy({ [`${reach}MaximumApplicable`]: true, [field]: value })
    const sender = limits.findIndex(([other]) => other === field) * 2
    if (reach !== 'perOp') {
      const first = await fresh(accountOf(reach === 'global' ? sender + 1 : sender))
      expect(await outcome(first, { policyId })).toBe('signed')
    }
    outcomes[index] = await outcome(await fresh(accountOf(sender)), { policyId })
  }
  expect(outcomes).toEqual([refusal, 'signed', 'signed'])
})

/** 200 operations of 40 senders. */
const crowd = (): Promise<UserOperation[]> =>
  Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      fresh(accountOf(senders.ofLimits + (index % senders.ofCrowds))),
    ),
  )
const other = (index: number): TestAccount => accountOf(senders.ofLimits + senders.ofCrowds + index)

describe('a global limit of 100 operations', () => {
  const limit = { globalMaximumApplicable: true, globalMaximumOpCount: 100 }

  test('gives 200 requests at once exactly 100 signatures', async () => {
    const policyId = await addPolicy(limit)
    const ops = await crowd()
    const outcomes = await Promise.all(ops.map((op) => outcome(op, { policyId })))
    expect(counts(outcomes)).toEqual({ signed: 100, global_limit_count: 100 })
    expect((await usageOf(policyId)).usedOpCount).toBe(100)
  })

  test('holds although the service is killed amid 200 requests', async () => {
    const policyId = await addPolicy(limit)
    const before = await crowd()
    const answered = new Set<UserOperation>()
    const killed = Promise.withResolvers<void>()
    const ask = async (op: UserOperation) => {
      const answer = await outcome(op, { policyId }).catch(() => 'lost')
      if (answer === 'signed') answered.add(op)
      if (answered.size === 20) killed.resolve()
    }
    const asked = Promise.all(before.map(ask))
    await killed.promise
    await service.kill('SIGKILL')
    await asked
    service = await serve()
    const kept = (await usageOf(policyId)).usedOpCount
    expect(kept).toBeGreaterThanOrEqual(answered.size)
    // Who has a signature may have another for the same nonce; the rest shares what is left.
    const again = await Promise.all([...answered].map((op) => outcome(op, { policyId })))
    expect(counts(again)).toEqual({ signed: answered.size })
    await Promise.all(before.map((op) => outcome(op, { policyId })))
    expect((await usageOf(policyId)).usedOpCount).toBe(100)
  })
})

describe('a stranger with a public key', () => {
  const limit = { globalMaximumApplicable: true, globalMaximumOpCount: 30 }

  test('has no more than ten operations of a sender open', async () => {
    const policyId = await addPolicy(limit)
    const ops = await Promise.all(Array.from({ length: 30 }, () => fresh(other(0))))
    const outcomes = await Promise.all(ops.map((op) => outcome(op, { policyId })))
    expect(counts(outcomes)).toEqual({ signed: 10, too_many_open_of_sender: 20 })
    expect(await usageOf(policyId)).toEqual(usage(40n * 10n ** 15n, 10))
    expect(await outcome(await fresh(other(1)), { policyId })).toBe('signed')
  })

  test('holds one operation of the budget by a nonce, however often and for whatever it asks', async () => {
    const policyId = await addPolicy(limit)
    const nonce = 1n << 100n
    const variants = Array.from({ length: 30 }, (_, index) =>
      fresh(other(1), { nonce, maxPriorityFeePerGas: BigInt(index) }),
    )
    const outcomes: unknown[] = []
    for (const op of await Promise.all(variants)) outcomes.push(await outcome(op, { policyId }))
    expect(counts(outcomes)).toEqual({ signed: 16, too_many_open_of_nonce: 14 })
    expect(await usageOf(policyId)).toEqual(promised)
  })

  test('holds nothing by operations that nobody would bundle', async () => {
    const policyId = await addPolicy(limit)
    const nowhere = { ...(await simpleAccount(chain, '0.7')), factory: undefined, factoryData: '0x' }
    const { account, operation: ofTrickster } = await tricksters(chain)
    const bad = [
      await ofTrickster('0.7', await account('Turncoat'), { ...gas, paymaster }),
      await operation(chain, nowhere as unknown as TestAccount, { ...gas, paymaster }),
      await fresh(other(1), { verificationGasLimit: 1_000n }),
      await fresh(other(1), { callGasLimit: 100_000_000n }),
    ]
    const outcomes = await Promise.all(bad.map((op) => outcome(op, { policyId })))
    expect(counts(outcomes)).toEqual({ operation_fails: 3, operation_invalid: 1 })
    expect(await usageOf(policyId)).toEqual(usage(0n, 0))
  })
})

/** What the operation has cost, by the chain. */
function costIn({ logs }: Pick<TransactionReceipt, 'logs'>, { sender }: UserOperation): bigint {
  const events = parseEventLogs({ abi: entryPoint07Abi, logs, eventName: 'UserOperationEvent' })
  const [event, another] = events.filter(({ args }) => args.sender === sender)
  if (event === undefined || another !== undefined) throw new Error('it is in there once')
  return event.args.actualGasCost
}

describe('what was promised', () => {
  test('is settled by a foreign bundler, undone by a reorg, and settled once when it is redone', async () => {
    const policyId = await addPolicy({})
    const op = await sign(chain, other(2), await sponsored(await fresh(other(2)), { policyId }))
    expect(await usageOf(policyId)).toEqual(promised)
    await usageBecomes(policyId, usage(costIn(await minedBundle(chain, [op]), op), 1))
    await rpc(chain.url, 'anvil_reorg', [1, []])
    await usageBecomes(policyId, promised)
    const settled = usage(costIn(await minedBundle(chain, [op]), op), 1)
    await usageBecomes(policyId, settled)
    await finalized(policyId, settled)
  })

  test('is settled as if it had happened once when our own bundle is undone and redone', async () => {
    const policyId = await addPolicy({})
    const op = await sign(chain, other(3), await sponsored(await fresh(other(3)), { policyId }))
    const watch = await watchStates(service.url, [op.sender])
    const hash = await send(service.url, op)
    await watch.all([hash], 'included')
    await usageBecomes(policyId, usage(await costOf(hash, op), 1))
    await rpc(chain.url, 'evm_setAutomine', [false])
    await rpc(chain.url, 'anvil_reorg', [1, []])
    await usageBecomes(policyId, promised)
    await rpc(chain.url, 'evm_setAutomine', [true])
    await rpc(chain.url, 'evm_mine')
    await watch.all([hash], 'included')
    watch.close()
    const settled = usage(await costOf(hash, op), 1)
    await usageBecomes(policyId, settled)
    await finalized(policyId, settled)
  })

  test('is released when its signature has expired for good', async () => {
    const policyId = await addPolicy({})
    const validUntil = Date.now() + 60_000
    expect(await outcome(await fresh(other(3)), { policyId, validUntil })).toBe('signed')
    expect(await usageOf(policyId)).toEqual(promised)
    await rpc(chain.url, 'evm_increaseTime', [120])
    await rpc(chain.url, 'anvil_mine', [numberToHex(reorgDepth + 1)])
    await usageBecomes(policyId, usage(0n, 0))
  })

  async function costOf(hash: `0x${string}`, op: UserOperation): Promise<bigint> {
    const { receipt } = await call<WireReceipt>(service.url, 'eth_getUserOperationReceipt', hash)
    return costIn(
      await rpc<TransactionReceipt>(chain.url, 'eth_getTransactionReceipt', [receipt.transactionHash]),
      op,
    )
  }

  /** No reorg reaches it any more, and it outlives kill -9. */
  async function finalized(policyId: number, expected: Usage): Promise<void> {
    await rpc(chain.url, 'anvil_mine', [numberToHex(reorgDepth + 1)])
    await service.kill('SIGKILL')
    service = await serve()
    await rpc(chain.url, 'evm_mine')
    await usageBecomes(policyId, expected)
  }
})
