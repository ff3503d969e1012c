import { describe, expect, spyOn, test } from 'bun:test'
import { type Address, getAddress } from 'viem'
import { NoAnswer, Unavailable } from '../../../src/base/errors.ts'
import { createBundleCheck } from '../../../src/bundler/check.ts'
import { createProposer, type ProposeSettings } from '../../../src/bundler/propose.ts'
import { decodeHandleOps } from '../../../src/types/entrypoint.ts'
import type { PoolPort } from '../../../src/types/ports/pool.ts'
import type { CheckBundleJob } from '../../../src/types/ports/simulator.ts'
import type { BundleOrder, RelayerView } from '../../../src/types/ports/submitter.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import type { BundleVerdict, Verdict } from '../../../src/types/verdict.ts'
import { address, hash, hashOf, userOp } from '../../support/builders.ts'
import { admit, pool } from '../pool/support.ts'
import {
  accepted,
  chainId,
  context,
  fakeHeads,
  free,
  judgeBy,
  lifeOf,
  now,
  poolsOf,
  recordedStates,
} from './support.ts'

const settings: ProposeSettings = {
  chainId,
  beneficiary: undefined,
  bundleSize: 10,
  bundleInterval: 0,
  transactionGasCap: 16_000_000n,
  transactionBytesCap: 131_072,
  bundleGasLimitMarkup: 0n,
  skipBundleValidation: false,
  enforceGasPriceThreshold: 1000,
  minPriorityFee: 0n,
  minSignerBalance: 10n,
}
const relayer = (n: number, changes: Partial<RelayerView> = {}): RelayerView => ({
  address: address(0xe0 + n),
  state: 'idle',
  balance: 100n,
  nextNonce: 0,
  ...changes,
})
const from = (n: number, changes: Partial<UserOperation> = {}) => userOp({ sender: address(n), ...changes })
const error = { code: -32500, message: 'AA23 reverted' }
const passes: BundleVerdict = { kind: 'passes', authorizations: [] }

type Rules = {
  own?: PoolPort
  /** Of another EntryPoint. */
  other?: PoolPort
  check?: (job: CheckBundleJob) => BundleVerdict | Promise<BundleVerdict>
  judge?: (op: UserOperation) => Verdict
  submit?: (order: BundleOrder) => Promise<void>
  relayers?: readonly RelayerView[]
  blockTime?: number
  now?: () => number
  /** preVerificationGas that is asked of an operation */
  asked?: bigint
} & Partial<ProposeSettings>

function proposerOf({
  own = pool(),
  other,
  check = () => passes,
  judge = accepted,
  submit = async () => {},
  relayers = [relayer(1)],
  blockTime,
  now: clock = now,
  asked = 0n,
  ...changes
}: Rules = {}) {
  const { states, told } = recordedStates()
  const [orders, jobs]: [BundleOrder[], CheckBundleJob[]] = [[], []]
  const all = { ...settings, ...changes }
  const heads = { ...fakeHeads(), blockTime }
  const modules = { ...context, heads, states, now: clock }
  const unasked = () => Promise.reject(new Error('not asked'))
  const bundleCheck = createBundleCheck(
    { chainId },
    {
      ...modules,
      judge: judgeBy(judge),
      simulator: {
        validate: unasked,
        rehearse: unasked,
        estimate: unasked,
        explain: unasked,
        async checkBundle(job) {
          jobs.push(job)
          return check(job)
        },
      },
    },
  )
  const quote = { ...free, maxFeePerGas: 4_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
  const proposer = createProposer(all, {
    ...modules,
    pools: new Map([...poolsOf(own), ...(other === undefined ? [] : poolsOf(other))]),
    blockAt: () => 0,
    market: async () => ({ quote, data: { kind: 'none' } }),
    submitter: {
      open: unasked,
      onHead: unasked,
      report: unasked,
      drain: unasked,
      async submit(order) {
        await submit(order)
        orders.push(order)
        return { transactionHash: hash(7) }
      },
    },
    check: bundleCheck,
    gasInBundle: () => ({ taken: 1_000_000n, reserve: 0n }),
    emptyBundleGas: 100_000n,
    gasOfBundle: (_version, entries) => 100_000n + 1_000_000n * BigInt(entries.length),
    preVerificationGas: () => asked,
  })
  proposer.setMode('manual')
  proposer.relayersChanged(relayers)
  const stateOf = (op: UserOperation) => own.get(hashOf(op))?.state
  const sent = () => orders.map((order) => decodeHandleOps('0.7', order.data).map(({ sender }) => sender))
  return { proposer, own, orders, jobs, stateOf, sent, life: (op: UserOperation) => lifeOf(told, op) }
}

function filled(...ops: UserOperation[]): PoolPort {
  const own = pool()
  for (const op of ops) admit(own, op)
  return own
}

/** Fails at the operation of `sender`, wherever it stands. */
const failingAt =
  (sender: Address) =>
  (job: CheckBundleJob): BundleVerdict => {
    const index = job.ops.findIndex((op) => op.sender === sender)
    return index < 0 ? passes : { kind: 'fails', index, error }
  }

const senders = (...numbers: number[]) => numbers.map((n) => address(n))

test('operations that pass their check together are submitted together', async () => {
  const { proposer, orders, jobs, stateOf } = proposerOf({ own: filled(from(1), from(2)) })
  const made = await proposer.proposeNow()
  expect(made?.transactionHash).toBe(hash(7))
  expect(orders).toMatchObject([
    { bundleId: made?.bundleId, relayer: relayer(1).address, gasLimit: 2_100_000n },
  ])
  expect(jobs.map(({ gasLimit, from: sender }) => [gasLimit, sender])).toEqual([
    [2_100_000n, relayer(1).address],
  ])
  expect(stateOf(from(1))).toEqual({ kind: 'bundled', bundleId: made?.bundleId ?? '' })
})

test('nothing to send is no bundle', async () => {
  expect(await proposerOf().proposer.proposeNow()).toBeUndefined()
})

test('the gas of the whole transaction stays below its cap', async () => {
  const own = filled(...[1, 2, 3, 4].map((n) => from(n)))
  const { proposer, orders } = proposerOf({
    own,
    transactionGasCap: 3_200_000n,
    bundleGasLimitMarkup: 100_001n,
  })
  await proposer.proposeNow()
  expect(orders.map(({ gasLimit }) => gasLimit)).toEqual([2_200_001n])
})

describe('fees', () => {
  const rich = from(1)
  const poor = from(2, { maxPriorityFeePerGas: 5n })

  test('what pays the market does not travel with what pays less', async () => {
    const { proposer, orders, sent } = proposerOf({ own: filled(rich, poor) })
    await proposer.proposeNow()
    await proposer.proposeNow()
    expect(sent()).toEqual([senders(1), senders(2)])
    expect(orders.map(({ fees }) => fees.maxPriorityFeePerGas)).toEqual([1_000_000_000n, 4n])
  })

  test('where there is always what pays the market, what pays half may join it once a minute', async () => {
    const half = from(2, { maxPriorityFeePerGas: 500_000_000n })
    const own = filled(rich, half, from(3, { maxPriorityFeePerGas: 499_999_999n }))
    let time = 0
    const { proposer, sent } = proposerOf({ own, now: () => time })
    await proposer.proposeNow()
    admit(own, from(4))
    time = 59_999
    await proposer.proposeNow()
    admit(own, from(5))
    time = 60_000
    await proposer.proposeNow()
    expect(sent()).toEqual([senders(1), senders(4), senders(5, 2)])
  })

  test('what pays less than the chain takes waits', async () => {
    const { proposer, sent } = proposerOf({ own: filled(poor), minPriorityFee: 6n })
    expect(await proposer.proposeNow()).toBeUndefined()
    expect(sent()).toEqual([])
  })
})

describe('beneficiary', () => {
  const beneficiary = address(0xbb)
  const of = async (rules: Rules) => {
    const { proposer, jobs } = proposerOf({ own: filled(from(1)), ...rules })
    await proposer.proposeNow()
    return jobs[0]?.beneficiary
  }

  test('is the relayer, unless another is configured', async () => {
    expect(await of({})).toBe(relayer(1).address)
    expect(await of({ beneficiary })).toBe(beneficiary)
  })

  test('is a relayer that is nearly out of funds', async () => {
    expect(await of({ beneficiary, relayers: [relayer(1, { balance: 19n })] })).toBe(relayer(1).address)
  })
})

describe('a culprit', () => {
  const ops = [from(1), from(2), from(3)]

  test('that fails alone too is dropped, and the rest goes', async () => {
    const { proposer, own, sent, stateOf } = proposerOf({
      own: filled(...ops),
      check: failingAt(address(2)),
      judge: () => ({ kind: 'rejected', error }),
    })
    await proposer.proposeNow()
    expect(sent()).toEqual([senders(1, 3)])
    expect([own.size, stateOf(from(2))]).toEqual([2, undefined])
  })

  test('that passes alone waits, counted as failed', async () => {
    const { proposer, own, sent } = proposerOf({ own: filled(...ops), check: failingAt(address(2)) })
    await proposer.proposeNow()
    expect(sent()).toEqual([senders(1, 3)])
    expect(own.get(hashOf(from(2)))).toMatchObject({ state: { kind: 'pending' }, failures: 1 })
  })

  test('that nobody can judge waits, and nothing counts against it', async () => {
    const { proposer, own } = proposerOf({
      own: filled(...ops),
      check: failingAt(address(2)),
      judge: () => ({ kind: 'unknown', cause: 'node down' }),
    })
    await proposer.proposeNow()
    expect(own.get(hashOf(from(2)))).toMatchObject({ state: { kind: 'pending' }, failures: 0 })
  })

  test('is in no other bundle while it is judged', async () => {
    const own = filled(...ops)
    const during: unknown[] = []
    const { proposer } = proposerOf({
      own,
      check: failingAt(address(2)),
      judge(op) {
        during.push(own.get(hashOf(op))?.state.kind)
        return accepted(op)
      },
    })
    await proposer.proposeNow()
    expect(during).toEqual(['bundled'])
  })
})

test('a bundle that fails without a culprit is halved until somebody is named, and the rest goes', async () => {
  const bad = address(1)
  const { proposer, own, jobs, sent } = proposerOf({
    own: filled(from(1), from(2), from(3), from(4)),
    check: (job) => (job.ops.some(({ sender }) => sender === bad) ? { kind: 'fails-whole', error } : passes),
  })
  await proposer.proposeNow()
  expect(jobs.map(({ ops }) => ops.length)).toEqual([4, 2, 1, 3])
  expect(own.get(hashOf(from(1)))).toMatchObject({ state: { kind: 'pending' }, failures: 1 })
  expect(sent()).toEqual([[2, 3, 4].map(address)])
})

test('a check that could not tell frees the operations and counts against nobody', async () => {
  const { proposer, own, sent } = proposerOf({
    own: filled(from(1)),
    check: () => Promise.reject(new Error('simulator gone')),
  })
  expect(await proposer.proposeNow()).toBeUndefined()
  expect(sent()).toEqual([])
  expect(own.get(hashOf(from(1)))).toMatchObject({ state: { kind: 'pending' }, failures: 0 })
})

test('what a block takes away during the check is not sent; what is left is checked anew', async () => {
  const own = filled(from(1), from(2))
  const { proposer, jobs, sent } = proposerOf({
    own,
    check() {
      own.mined([{ hash: hashOf(from(1)), sender: address(1), nonce: 0n }], { blockNumber: 2 })
      return passes
    },
  })
  await proposer.proposeNow()
  expect(sent()).toEqual([senders(2)])
  expect(jobs.map(({ ops }) => ops.length)).toEqual([2, 1])
})

test('a submission that failed frees the operations', async () => {
  const submit = () => Promise.reject(new Unavailable('refused'))
  const { proposer, stateOf } = proposerOf({ own: filled(from(1)), submit })
  expect(await proposer.proposeNow()).toBeUndefined()
  expect(stateOf(from(1))).toEqual({ kind: 'pending' })
})

test('a submission that failed does not free what another bundle has by now', async () => {
  const own = filled(from(1))
  const { proposer, stateOf } = proposerOf({
    own,
    async submit() {
      own.release([hashOf(from(1))])
      own.bundle([hashOf(from(1))], 'another')
      throw new Unavailable('abandoned')
    },
  })
  await proposer.proposeNow()
  expect(stateOf(from(1))).toEqual({ kind: 'bundled', bundleId: 'another' })
})

test('without an answer the operations stay bound: the transaction may be on its way', async () => {
  const submit = () => Promise.reject(new NoAnswer('thread did not answer'))
  const { proposer, stateOf } = proposerOf({ own: filled(from(1)), submit })
  expect(await proposer.proposeNow()).toBeUndefined()
  expect(stateOf(from(1))).toMatchObject({ kind: 'bundled' })
})

test('each idle relayer has a bundle of its own at the same time', async () => {
  const { proposer, orders } = proposerOf({
    own: filled(from(1), from(2), from(3)),
    bundleSize: 1,
    relayers: [relayer(1), relayer(2, { state: 'busy' }), relayer(3)],
  })
  const made = await Promise.all([proposer.proposeNow(), proposer.proposeNow(), proposer.proposeNow()])
  expect(made.map((bundle) => bundle !== undefined)).toEqual([true, true, false])
  expect(orders.map((order) => order.relayer)).toEqual([relayer(1).address, relayer(3).address])
})

test('a quiet EntryPoint is kept back by a busy one for a few bundles at most', async () => {
  const other = pool({ version: '0.8' })
  admit(other, from(99, { version: '0.8' }))
  const busy = Array.from({ length: 50 }, (_, index) => from(1 + index))
  const { proposer, orders } = proposerOf({ own: filled(...busy), other, bundleSize: 8 })
  for (let count = 0; count < 5; count++) await proposer.proposeNow()
  expect(orders.map(({ operations }) => operations.length)).toEqual([8, 8, 8, 8, 1])
})

test('operations that failed a check keep nobody back for long', async () => {
  const own = filled(...Array.from({ length: 20 }, (_, index) => from(1 + index)))
  for (const bad of [from(1), from(2), from(3)]) own.failed(hashOf(bad), error, -1000)
  const { proposer, sent } = proposerOf({ own, bundleSize: 2 })
  for (let count = 0; count < 6; count++) await proposer.proposeNow()
  const bundles = [senders(4, 5), senders(6, 7), senders(1), senders(8, 9), senders(10, 11), senders(2)]
  expect(sent()).toEqual(bundles.map((bundle) => bundle.map((sender) => getAddress(sender))))
})

test('in automatic mode bundles are made without being asked for', async () => {
  const { promise: submitted, resolve } = Promise.withResolvers<void>()
  const { proposer, sent } = proposerOf({ own: filled(from(1)), submit: async () => resolve() })
  proposer.setMode('auto')
  await submitted
  await proposer.stop()
  expect(sent()).toEqual([senders(1)])
})

test('in automatic mode a bundle that came to nothing does not keep the next one back', async () => {
  const { promise: submitted, resolve } = Promise.withResolvers<void>()
  const { proposer, sent } = proposerOf({
    own: filled(from(1), from(2)),
    bundleSize: 1,
    check: failingAt(address(1)),
    judge: () => ({ kind: 'rejected', error }),
    submit: async () => resolve(),
  })
  proposer.setMode('auto')
  await submitted
  await proposer.stop()
  expect(sent()).toEqual([senders(2)])
})

test('in automatic mode no bundle waits for that of another relayer', async () => {
  const { promise: bothSubmit, resolve } = Promise.withResolvers<void>()
  let submitting = 0
  const { proposer, orders } = proposerOf({
    own: filled(from(1), from(2)),
    bundleSize: 1,
    relayers: [relayer(1), relayer(2)],
    async submit() {
      submitting += 1
      if (submitting === 2) resolve()
      await bothSubmit
    },
  })
  proposer.setMode('auto')
  await bothSubmit
  await proposer.stop()
  expect(orders.map((order) => order.relayer)).toEqual([relayer(1).address, relayer(2).address])
})

test('a relayer that is busy can be waited for', async () => {
  const { proposer, sent } = proposerOf({ own: filled(from(1)), relayers: [relayer(1, { state: 'busy' })] })
  const made = proposer.whenIdle().then(proposer.proposeNow)
  proposer.relayersChanged([relayer(1)])
  expect(await made).toBeDefined()
  expect(sent()).toEqual([senders(1)])
})

test('after a stop nothing is made', async () => {
  const { proposer } = proposerOf({ own: filled(from(1)) })
  await proposer.stop()
  expect(await proposer.proposeNow()).toBeUndefined()
})

test('bundleInterval: is the longest wait for company', async () => {
  const waits = spyOn(globalThis, 'setTimeout')
  for (const bundleInterval of [10_000, 250]) {
    const { proposer } = proposerOf({ own: filled(from(1)), bundleInterval, blockTime: 3600 })
    proposer.setMode('auto')
    await proposer.stop()
  }
  expect(waits.mock.calls.map(([, ms]) => ms)).toEqual([10_000, 250])
  waits.mockRestore()
})

test('what came to nothing is tried again after a second, though no block and no operation wakes it', async () => {
  const waits = spyOn(globalThis, 'setTimeout')
  const { promise: triedAgain, resolve } = Promise.withResolvers<void>()
  let attempts = 0
  const { proposer, sent } = proposerOf({
    own: filled(from(1)),
    async submit() {
      attempts += 1
      if (attempts === 1) throw new Unavailable('the node does not answer')
      resolve()
    },
  })
  proposer.setMode('auto')
  await triedAgain
  await proposer.stop()
  expect(waits.mock.calls.map(([, ms]) => ms)).toEqual([0, 1000])
  expect(sent()).toEqual([senders(1)])
  waits.mockRestore()
})

test('what failed in company goes when its back-off is over, though no block and no operation wakes it', async () => {
  let time = now()
  const wait = globalThis.setTimeout
  const waits = spyOn(globalThis, 'setTimeout').mockImplementation(((task: () => void, ms: number) => {
    time += ms
    return wait(task)
  }) as typeof setTimeout)
  const { promise: bothSent, resolve } = Promise.withResolvers<void>()
  const { proposer, sent } = proposerOf({
    own: filled(from(1), from(2)),
    check: (job) => (job.ops.length > 1 ? { kind: 'fails', index: 1, error } : passes),
    submit: async ({ data }) => {
      if (decodeHandleOps('0.7', data)[0]?.sender === address(2)) resolve()
    },
    now: () => time,
  })
  proposer.setMode('auto')
  await bothSent
  await proposer.stop()
  waits.mockRestore()
  expect(sent()).toEqual([senders(1), senders(2)])
})

test('operations that were taken when data was cheaper travel with a lower tip', async () => {
  const { proposer, orders } = proposerOf({ own: filled(from(1)), asked: 60_000n })
  await proposer.proposeNow()
  // 10,000 gas at 2 gwei, over the 150,000 that the operation can be charged for.
  expect(orders.map(({ fees }) => fees.maxPriorityFeePerGas)).toEqual([1_000_000_000n - 133_333_334n])
})
