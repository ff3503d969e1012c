import { expect, test } from 'bun:test'
import { createBindings } from '../../../src/bundler/bindings.ts'
import { recoverPool, revalidate } from '../../../src/bundler/recover.ts'
import { entryPoints } from '../../../src/types/entrypoint.ts'
import type { OperationRecord, StorePort } from '../../../src/types/ports/store.ts'
import type { OpenBundle } from '../../../src/types/ports/submitter.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import type { Verdict } from '../../../src/types/verdict.ts'
import { address, hash, hashOf, userOp } from '../../support/builders.ts'
import { admit, pool } from '../pool/support.ts'
import {
  accepted,
  chainId,
  context,
  fakeStore,
  head,
  judgeBy,
  lifeOf,
  now,
  poolsOf,
  record,
  recordedStates,
} from './support.ts'

const op = userOp()
const transactionHash = hash(0x7a)

function openBundle(kinds: readonly ('bundle' | 'cancel')[]): OpenBundle {
  const transactions = kinds.map((kind, index) => ({
    ...{ chainId, bundleId: 'first', relayer: address(9), nonce: 0, raw: '0x' as const, createdAt: 0 },
    ...{ kind, hash: hash(0x70 + index), maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
  }))
  return { bundleId: 'first', operations: [hashOf(op)], transactions }
}

async function recovered(
  records: readonly OperationRecord[],
  {
    bundles = [],
    sequence = 0n,
    ...store
  }: { bundles?: readonly OpenBundle[]; sequence?: bigint } & Partial<StorePort> = {},
) {
  const own = pool()
  const all = fakeStore({ openOperations: async () => records, ...store })
  const { states, told } = recordedStates(all)
  await recoverPool(
    { chainId, block: head(5), journal: bundles },
    {
      ...context,
      ...{ pools: poolsOf(own), store: all, states, now, bindings: createBindings() },
      sequenceOnChain: async () => sequence,
    },
  )
  return {
    own,
    life: (of: UserOperation) => lifeOf(told, of),
    stateOf: (of: UserOperation) => own.get(hashOf(of))?.state,
  }
}

test('an operation waits again', async () => {
  const { stateOf } = await recovered([record(op)])
  expect(stateOf(op)).toEqual({ kind: 'pending' })
})

test('one in the journal is bound to the newest bundle transaction', async () => {
  const { stateOf } = await recovered([record(op)], { bundles: [openBundle(['bundle', 'bundle', 'cancel'])] })
  expect(stateOf(op)).toEqual({ kind: 'submitted', bundleId: 'first', transactionHash: hash(0x71) })
})

test('one whose block the index has is included', async () => {
  const { own, life } = await recovered([record(op)], {
    event: async () => ({
      ...{ chainId, transactionHash, block: head(3), logIndex: 0, paymaster: undefined, success: false },
      ...{ entryPoint: entryPoints['0.7'].address, hash: hashOf(op), sender: op.sender, nonce: 0n },
      ...{ actualGasCost: 1n, actualGasUsed: 1n },
    }),
  })
  expect(own.size).toBe(0)
  expect(life(op)).toEqual([
    { kind: 'included', success: false, transactionHash, blockNumber: 3, blockHash: hash(3) },
  ])
})

test('one whose nonce was used meanwhile stays until the missed blocks say by whom', async () => {
  const { stateOf } = await recovered([record(op)], { sequence: 4n })
  expect(stateOf(op)).toEqual({ kind: 'pending' })
})

test('one ahead of its turn is queued', async () => {
  const ahead = userOp({ nonce: 2n })
  const { stateOf } = await recovered([record(ahead)])
  expect(stateOf(ahead)).toEqual({ kind: 'queued' })
})

test('of two with one nonce the later replaced the earlier, whichever is looked up first', async () => {
  const later = userOp({ callData: '0x01' })
  const laterAsked = Promise.withResolvers<void>()
  const { own, life } = await recovered([record(op), record(later)], {
    event: async ({ hash: asked }) => {
      if (asked === hashOf(op)) await laterAsked.promise
      else laterAsked.resolve()
      return undefined
    },
  })
  expect([...own.entries()].map((entry) => entry.op)).toEqual([later])
  expect(life(op).at(-1)).toEqual({ kind: 'replaced', by: hashOf(later) })
})

test('of an EntryPoint that is not served any more it is left alone', async () => {
  const { own, life } = await recovered([record(userOp({ version: '0.6' }))])
  expect([own.size, life(op)]).toEqual([0, []])
})

test('reputation is that of its EntryPoint', async () => {
  const counts = { chainId, address: address(3), opsSeen: 30, opsIncluded: 2 }
  const { own } = await recovered([], {
    reputation: async () => [
      { ...counts, entryPoint: entryPoints['0.7'].address },
      { ...counts, entryPoint: entryPoints['0.6'].address, address: address(4) },
    ],
  })
  expect(own.reputation().map((view) => view.address)).toEqual([address(3)])
})

async function revalidated(verdict: (op: UserOperation) => Verdict) {
  const own = pool()
  admit(own, op)
  const { states, told } = recordedStates()
  await revalidate({ pools: poolsOf(own), judge: judgeBy(verdict), states, log: context.log })
  return { own, life: lifeOf(told, op) }
}

test('validated again, an operation that fails is dropped with the reason', async () => {
  const error = { code: -32500, message: 'AA21' }
  const { own, life } = await revalidated(() => ({ kind: 'rejected', error }))
  expect([own.size, life]).toEqual([0, [{ kind: 'dropped', reason: error }]])
})

test('validated again, one that passes or that nobody can judge stays', async () => {
  expect((await revalidated(accepted)).own.size).toBe(1)
  expect((await revalidated(() => ({ kind: 'unknown', cause: 'node down' }))).own.size).toBe(1)
})
