import { expect, test } from 'bun:test'
import { createDeposits } from '../../../src/bundler/deposits.ts'
import type { BalanceReader } from '../../../src/chain/balances.ts'
import { entryPoints } from '../../../src/types/entrypoint.ts'
import { address, userOp } from '../../support/builders.ts'
import { admit, pool } from '../pool/support.ts'
import { context, head, lifeOf, poolsOf, recordedStates } from './support.ts'

const op = userOp({ paymaster: address(7) })

async function refreshed(answer: () => Promise<bigint | undefined>) {
  const own = pool()
  admit(own, op)
  const { states, told } = recordedStates()
  const asked: unknown[] = []
  const balances: Pick<BalanceReader, 'read'> = {
    async read(holdings, at) {
      asked.push(holdings, at)
      return [await answer()]
    },
  }
  await createDeposits({ pools: poolsOf(own), balances, states, log: context.log }).refresh(head(2))
  expect(asked).toEqual([[{ account: address(7), at: entryPoints['0.7'].address }], head(2)])
  return { size: own.size, life: lifeOf(told, op) }
}

test('what a deposit covers stays', async () => {
  expect(await refreshed(async () => 10n ** 20n)).toEqual({ size: 1, life: [] })
})

test('what a deposit covers no more is dropped', async () => {
  const { size, life } = await refreshed(async () => 1n)
  expect(size).toBe(0)
  expect(life).toMatchObject([{ kind: 'dropped', reason: { code: -32508 } }])
})

test('a deposit that nobody could read drops nothing', async () => {
  expect(await refreshed(async () => undefined)).toEqual({ size: 1, life: [] })
  expect(await refreshed(() => Promise.reject(new Error('node down')))).toEqual({ size: 1, life: [] })
})
