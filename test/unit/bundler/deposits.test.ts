import { expect, test } from 'bun:test'
import { type Hex, numberToHex } from 'viem'
import { createDeposits } from '../../../src/bundler/deposits.ts'
import { address, userOp } from '../../support/builders.ts'
import { fakeNode } from '../../support/fakeBundler.ts'
import { admit, pool } from '../pool/support.ts'
import { context, head, lifeOf, poolsOf, recordedStates } from './support.ts'

const op = userOp({ paymaster: address(7) })

async function refreshed(answer: () => Promise<Hex>) {
  const own = pool()
  admit(own, op)
  const { states, told } = recordedStates()
  const node = fakeNode({ requestAt: async <Result>() => (await answer()) as Result })
  await createDeposits({ pools: poolsOf(own), node, states, log: context.log }).refresh(head(2))
  return { size: own.size, life: lifeOf(told, op) }
}

test('what a deposit covers stays', async () => {
  expect(await refreshed(async () => numberToHex(10n ** 20n, { size: 32 }))).toEqual({ size: 1, life: [] })
})

test('what a deposit covers no more is dropped', async () => {
  const { size, life } = await refreshed(async () => numberToHex(1n, { size: 32 }))
  expect(size).toBe(0)
  expect(life).toMatchObject([{ kind: 'dropped', reason: { code: -32508 } }])
})

test('a deposit that nobody could read drops nothing', async () => {
  expect(await refreshed(() => Promise.reject(new Error('node down')))).toEqual({ size: 1, life: [] })
})
