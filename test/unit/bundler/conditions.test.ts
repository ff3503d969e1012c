import { expect, test } from 'bun:test'
import { type Address, type Hex, pad, toFunctionSelector, toHex } from 'viem'
import { Unavailable } from '../../../src/base/errors.ts'
import { readConditions } from '../../../src/bundler/conditions.ts'
import { entryPoints } from '../../../src/types/entrypoint.ts'
import type { NodeClient } from '../../../src/types/ports/chain.ts'
import type { PoolEntry } from '../../../src/types/ports/pool.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import { address, facts, hashOf, userOp } from '../../support/builders.ts'
import { chainId, context } from './support.ts'

const { address: entryPoint } = entryPoints['0.7']
const paymaster = address(0xfa)
const slot = (n: number): Hex => pad(toHex(n), { size: 32 })

type Reads = Record<Address, readonly { address: Address; storageKeys: readonly Hex[] }[]>

/** A node where a call to an address reads these slots; every slot holds its own number. */
function nodeWith(reads: Reads) {
  const calls: { from: Address; to: Address; data: Hex }[] = []
  const unexpected = () => Promise.reject(new Error('not asked'))
  const node: NodeClient = {
    chainId,
    async request<Result>(method: string, params: readonly unknown[]) {
      if (method === 'eth_getStorageAt') return params[1] as Result
      const call = params[0] as (typeof calls)[number]
      calls.push(call)
      const accessList = reads[call.to]
      if (accessList === undefined) throw new Unavailable('node')
      return { accessList } as Result
    },
    requestAt: unexpected,
    requestOf: unexpected,
    close: async () => {},
  }
  return {
    calls,
    read: (ops: readonly UserOperation[]) => readConditions(ops, { node, chainId, log: context.log }),
  }
}

function entry(op: UserOperation, validUntil?: number): PoolEntry {
  return {
    op,
    hash: hashOf(op),
    facts: { ...facts(op), validUntil },
    state: { kind: 'pending' },
    failures: 0,
    receivedAt: 0,
  }
}

const own = (of: Address, ...slots: readonly number[]) => ({ address: of, storageKeys: slots.map(slot) })

test('what account and paymaster read, as the EntryPoint calls them, but not what the EntryPoint keeps', async () => {
  const op = userOp({ sender: address(1), paymaster })
  const token = address(0x70)
  const { calls, read } = nodeWith({
    [address(1)]: [own(address(1), 0, 1), own(entryPoint, 9)],
    [paymaster]: [own(token, 5)],
  })
  const conditionsOf = await read([op])
  expect(conditionsOf([entry(op)])).toEqual({
    knownAccounts: {
      [address(1)]: { [slot(0)]: slot(0), [slot(1)]: slot(1) },
      [token]: { [slot(5)]: slot(5) },
    },
  })
  const struct = '(address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)'
  expect(calls.map(({ from, to, data }) => ({ from, to, selector: data.slice(0, 10) }))).toEqual([
    {
      ...{ from: entryPoint, to: address(1) },
      selector: toFunctionSelector(`validateUserOp(${struct},bytes32,uint256)`),
    },
    {
      ...{ from: entryPoint, to: paymaster },
      selector: toFunctionSelector(`validatePaymasterUserOp(${struct},bytes32,uint256)`),
    },
  ])
})

test('an operation that was taken out leaves no condition', async () => {
  const ops = [userOp({ sender: address(1) }), userOp({ sender: address(2) })] as const
  const { read } = nodeWith({ [address(1)]: [own(address(1), 0)], [address(2)]: [own(address(2), 0)] })
  const conditionsOf = await read(ops)
  expect(Object.keys(conditionsOf([entry(ops[1])]).knownAccounts)).toEqual([address(2)])
})

test('what the node cannot tell is no condition', async () => {
  const ops = [userOp({ sender: address(1) }), userOp({ sender: address(2) })] as const
  const { read } = nodeWith({ [address(2)]: [own(address(2), 3)] })
  const conditionsOf = await read(ops)
  expect(conditionsOf(ops.map((op) => entry(op)))).toEqual({
    knownAccounts: { [address(2)]: { [slot(3)]: slot(3) } },
  })
})

test('a bundle ends with the first of its operations', async () => {
  const ops = [1, 2, 3].map((n) => userOp({ sender: address(n) }))
  const conditionsOf = await nodeWith({}).read(ops)
  const entries = ops.map((op, index) => entry(op, [300, 200, undefined][index]))
  expect(conditionsOf(entries)).toEqual({ knownAccounts: {}, timestampMax: 200 })
})

test('no more slots than a sequencer compares', async () => {
  const op = userOp({ sender: address(1) })
  const many = Array.from({ length: 1200 }, (_, index) => index)
  const conditionsOf = await nodeWith({ [address(1)]: [own(address(1), ...many)] }).read([op])
  expect(Object.keys(conditionsOf([entry(op)]).knownAccounts[address(1)] ?? {})).toHaveLength(999)
})
