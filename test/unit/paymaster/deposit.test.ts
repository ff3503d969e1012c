import { expect, test } from 'bun:test'
import { numberToHex } from 'viem'
import { createDepositReader } from '../../../src/paymaster/sponsor/deposit.ts'
import type { Payer } from '../../../src/paymaster/sponsor/payer.ts'
import { entryPoints } from '../../../src/types/entrypoint.ts'
import type { NodeClient } from '../../../src/types/ports/chain.ts'
import { address, hash } from '../../support/builders.ts'
import { outcome } from '../../support/outcome.ts'

const block = (number: number) => ({ number, hash: hash(number) })
const tenant = (n: number) => ({
  ...{ id: `t${n}`, name: '', walletAddress: address(n), encryptedKey: '0x', createdAt: 0 },
})
const payer = (kind: 'sponsor' | 'verifying', paymaster: number, owner = 1) =>
  ({ kind, paymaster: address(paymaster), tenant: tenant(owner), policy: undefined }) as Payer

/** A node whose n-th answer is n; the reader on it, and what was asked. */
function reading(fails = new Set<number>()) {
  const asked: string[] = []
  const node: Pick<NodeClient, 'requestAt'> = {
    async requestAt<Result>(_method: string, params: readonly unknown[]) {
      const [{ to, data }] = params as [{ to: string; data: string }]
      asked.push(`${to} ${Number(`0x${data.slice(-40)}`)}`)
      if (fails.has(asked.length)) throw new Error('down')
      return numberToHex(asked.length, { size: 32 }) as Result
    },
  }
  return { depositOf: createDepositReader({ node }), asked }
}

test('a deposit is asked for once a block, however many want it at once', async () => {
  const { depositOf, asked } = reading()
  const own = payer('verifying', 7)
  const first = [depositOf(own, '0.7', block(1)), depositOf(own, '0.7', block(1))]
  expect(await Promise.all(first)).toEqual([1n, 1n])
  expect(await depositOf(own, '0.7', block(1))).toBe(1n)
  expect(await depositOf(own, '0.7', block(2))).toBe(2n)
  expect(asked).toEqual([`${entryPoints['0.7'].address} 7`, `${entryPoints['0.7'].address} 7`])
})

test('each payer has a deposit of its own', async () => {
  const { depositOf, asked } = reading()
  const payers = [
    payer('verifying', 7),
    payer('verifying', 8),
    payer('sponsor', 9, 1),
    payer('sponsor', 9, 2),
  ]
  const deposits = payers.map((one) => depositOf(one, one.kind === 'sponsor' ? '0.6' : '0.7', block(1)))
  expect(await Promise.all(deposits)).toEqual([1n, 2n, 3n, 4n])
  expect(asked.slice(2)).toEqual([`${address(9)} 1`, `${address(9)} 2`])
})

test('what failed is asked again', async () => {
  const { depositOf } = reading(new Set([1]))
  const own = payer('verifying', 7)
  expect(await outcome(depositOf(own, '0.7', block(1)))).toContain('down')
  expect(await depositOf(own, '0.7', block(1))).toBe(2n)
})
