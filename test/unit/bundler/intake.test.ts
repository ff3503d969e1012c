import { expect, test } from 'bun:test'
import { TandemError } from '../../../src/base/errors.ts'
import { createIntake } from '../../../src/bundler/intake.ts'
import { userOperationHash } from '../../../src/types/entrypoint.ts'
import type { PoolPort } from '../../../src/types/ports/pool.ts'
import type { OperationRecord, StorePort } from '../../../src/types/ports/store.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import type { Verdict } from '../../../src/types/verdict.ts'
import { userOp } from '../../support/builders.ts'
import { fakeNode } from '../../support/fakeBundler.ts'
import { pool } from '../pool/support.ts'
import {
  accepted,
  chainId,
  context,
  fakeStore,
  judgeBy,
  now,
  poolsOf,
  record,
  recordedStates,
} from './support.ts'

const hashOf = (op: UserOperation) => userOperationHash(op, chainId)

function intakeOf({
  own = pool(),
  verdict = accepted,
  ...store
}: { own?: PoolPort; verdict?: (op: UserOperation) => Verdict } & Partial<StorePort> = {}) {
  const stored: OperationRecord[] = []
  const outage: { now?: Error } = {}
  const all = fakeStore({
    async addOperation(added) {
      if (outage.now !== undefined) throw outage.now
      stored.push(added)
    },
    ...store,
  })
  const { states, told } = recordedStates(all)
  let admitted = 0
  const intake = createIntake(
    { chainId, now },
    {
      ...context,
      pools: poolsOf(own),
      node: fakeNode(),
      precheck: async () => {},
      judge: judgeBy(verdict),
      store: all,
      states,
      onAdmitted: () => {
        admitted += 1
      },
    },
  )
  const life = (op: UserOperation) => told.filter(({ hash }) => hash === hashOf(op)).map(({ state }) => state)
  return { send: intake.send, own, stored, outage, life, admissions: () => admitted }
}

const rejection = { code: -32507, message: 'AA24 signature error', data: { aaCode: 'AA24' } }

test('an operation is stored before it is acknowledged', async () => {
  const { send, stored, life, admissions } = intakeOf()
  const op = userOp()
  expect(await send(op)).toBe(hashOf(op))
  expect(stored).toEqual([
    record(op, {
      hash: hashOf(op),
      receivedAt: 1000,
      timestamps: { received: 1000, pending: 1000 },
    }),
  ])
  expect(life(op)).toEqual([{ kind: 'pending' }])
  expect(admissions()).toBe(1)
})

test('the same operation again is the same hash, and not stored twice', async () => {
  const { send, stored } = intakeOf()
  expect(new Set([await send(userOp()), await send(userOp())]).size).toBe(1)
  expect(stored).toHaveLength(1)
})

test('the same operation at the same time waits for the first', async () => {
  const { send, stored } = intakeOf()
  expect(new Set(await Promise.all([send(userOp()), send(userOp())])).size).toBe(1)
  expect(stored).toHaveLength(1)
})

test('a repeat of an operation that failed to be stored fails with it, and may be sent again', async () => {
  const { send, outage, stored } = intakeOf()
  outage.now = new Error('disk full')
  const both = await Promise.allSettled([send(userOp()), send(userOp())])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  outage.now = undefined
  await send(userOp())
  expect(stored).toHaveLength(1)
})

test('a rejected operation leaves no trace', async () => {
  const { send, own, stored, life } = intakeOf({ verdict: () => ({ kind: 'rejected', error: rejection }) })
  await expect(send(userOp())).rejects.toEqual(new TandemError(-32507, rejection.message, rejection.data))
  expect([own.size, stored, life(userOp())]).toEqual([0, [], []])
})

test('one that nobody could judge is no rejection', async () => {
  const { send } = intakeOf({ verdict: () => ({ kind: 'unknown', cause: 'node down' }) })
  await expect(send(userOp())).rejects.toMatchObject({ code: -32603 })
})

test('one that there is no place to judge now may come back later', async () => {
  const verdict = { kind: 'unknown' as const, cause: 'limit exceeded', retryAfterMs: 700 }
  const { send } = intakeOf({ verdict: () => verdict })
  await expect(send(userOp())).rejects.toMatchObject({ code: -32005, data: { retryAfterMs: 700 } })
})

test('a repeat of an included operation is its hash, whatever it would fail with now', async () => {
  const { send } = intakeOf({
    verdict: () => ({ kind: 'rejected', error: rejection }),
    operation: async () =>
      record(userOp(), {
        state: {
          kind: 'included',
          success: true,
          transactionHash: '0x01',
          blockNumber: 1,
          blockHash: '0x02',
        },
      }),
  })
  expect(await send(userOp())).toBe(hashOf(userOp()))
})

test('what is not stored is not acknowledged, and leaves the pool', async () => {
  const { send, own, outage, admissions } = intakeOf()
  outage.now = new Error('disk full')
  await expect(send(userOp())).rejects.toThrow('disk full')
  expect([own.size, admissions()]).toEqual([0, 0])
})

test('an operation comes back when its replacement is not stored', async () => {
  const { send, own, outage, life } = intakeOf()
  const old = userOp()
  const newer = userOp({
    maxFeePerGas: 2n * old.maxFeePerGas,
    maxPriorityFeePerGas: 2n * old.maxPriorityFeePerGas,
  })
  await send(old)
  outage.now = new Error('disk full')
  await expect(send(newer)).rejects.toThrow('disk full')
  expect([...own.entries()].map(({ op }) => op)).toEqual([old])
  expect(life(old).at(-1)).toEqual({ kind: 'pending' })
  expect(life(newer).at(-1)).toMatchObject({ kind: 'dropped' })
})

test('an operation that is not stored stays when a bundle has it: its replaced twin must not follow it', async () => {
  const own = pool()
  const old = userOp()
  const newer = userOp({
    maxFeePerGas: 2n * old.maxFeePerGas,
    maxPriorityFeePerGas: 2n * old.maxPriorityFeePerGas,
  })
  const { send, life } = intakeOf({
    own,
    async addOperation({ hash: added }) {
      if (added !== hashOf(newer)) return
      own.bundle([added], 'first')
      throw new Error('disk full')
    },
  })
  await send(old)
  await expect(send(newer)).rejects.toThrow('disk full')
  expect([...own.entries()].map(({ op, state }) => [op, state])).toEqual([
    [newer, { kind: 'bundled', bundleId: 'first' }],
  ])
  expect(life(old).at(-1)).toEqual({ kind: 'replaced', by: hashOf(newer) })
})

test('a repeat of one that a bundle has, and the store has not, is acknowledged when it is stored', async () => {
  const own = pool()
  const stored: OperationRecord[] = []
  let outages = 2
  const { send } = intakeOf({
    own,
    async addOperation(added) {
      if (outages > 0) own.bundle([added.hash], 'first')
      if (outages-- > 0) throw new Error('disk full')
      stored.push(added)
    },
  })
  await expect(send(userOp())).rejects.toThrow('disk full')
  await expect(send(userOp())).rejects.toThrow('disk full')
  expect(await send(userOp())).toBe(hashOf(userOp()))
  expect(await send(userOp())).toBe(hashOf(userOp()))
  expect(stored.map(({ op, state }) => [op, state.kind])).toEqual([[userOp(), 'bundled']])
})

test('those behind an operation that is not stored are queued again', async () => {
  const { send, own, outage, life } = intakeOf()
  const second = userOp({ nonce: 1n })
  await send(second)
  outage.now = new Error('disk full')
  await expect(send(userOp())).rejects.toThrow('disk full')
  expect(own.get(hashOf(second))?.state).toEqual({ kind: 'queued' })
  expect(life(second).at(-1)).toEqual({ kind: 'queued' })
})

test('a bundle that takes an operation up while it is being stored is not forgotten', async () => {
  const own = pool()
  const op = userOp()
  const { send, life } = intakeOf({
    own,
    async addOperation() {
      own.bundle([hashOf(op)], 'first')
    },
  })
  await send(op)
  expect(own.get(hashOf(op))?.state).toEqual({ kind: 'bundled', bundleId: 'first' })
  expect(life(op)).toEqual([])
})
