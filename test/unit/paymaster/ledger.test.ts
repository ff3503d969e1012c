import { describe, expect, test } from 'bun:test'
import {
  createLedger,
  type LedgerChange,
  maxClaims,
  maxOpenPerSender,
} from '../../../src/paymaster/ledger/ledger.ts'
import type { Sponsorship } from '../../../src/types/paymaster/sponsorship.ts'
import { address, hash } from '../../support/builders.ts'
import { random } from '../../support/random.ts'
import { claim, key } from './builders.ts'

const empty = { sponsorships: [], totals: [] }
const block = (number: number) => ({ number, hash: hash(1000 + number) })
const payment = (changes: object = {}) => ({ ...key(), hash: hash(1), actualGasCost: 60n, ...changes })
const nothing = { usd: 0n, native: 0n, count: 0 }
const reason = (act: () => unknown): string => {
  try {
    act()
    return 'none'
  } catch (error) {
    return (error as { reason: string }).reason
  }
}

test('a reservation counts, for the policy and for its sender', () => {
  const ledger = createLedger(empty)
  expect(ledger.reserve(key(), claim())).toEqual({
    put: [{ ...key(), claims: [claim()], settled: undefined }],
    remove: [],
    totals: [],
  })
  const spent = { usd: 1000n, native: 100n, count: 1 }
  expect(ledger.spent(1)).toEqual(spent)
  expect(ledger.usage(1, key({ nonce: 1n }))).toEqual({ global: spent, user: spent })
  expect(ledger.usage(1, key({ sender: address(2) }))).toEqual({ global: spent, user: nothing })
  expect(ledger.usage(2, key({ nonce: 1n }))).toEqual({ global: nothing, user: nothing })
})

test('a nonce is reserved once, at its highest', () => {
  const ledger = createLedger(empty)
  ledger.reserve(key(), claim())
  expect(ledger.usage(1, key())).toEqual({ global: nothing, user: nothing })
  ledger.reserve(key(), claim({ userOpHash: hash(2), native: 300n, usd: 3000n }))
  ledger.reserve(key(), claim({ userOpHash: hash(3), native: 200n, usd: 2000n }))
  expect(ledger.spent(1)).toEqual({ usd: 3000n, native: 300n, count: 1 })
  expect(ledger.promised('t1', key({ nonce: 9n }))).toBe(300n)
  expect(ledger.promised('t1', key())).toBe(0n)
})

test('each policy that signed for a nonce holds its own dearest signature', () => {
  const ledger = createLedger(empty)
  ledger.reserve(key(), claim())
  ledger.reserve(key(), claim({ userOpHash: hash(2), policyId: 2, native: 50n, usd: 500n }))
  expect(ledger.spent(1)).toEqual({ usd: 1000n, native: 100n, count: 1 })
  expect(ledger.spent(2)).toEqual({ usd: 500n, native: 50n, count: 1 })
})

describe('settling', () => {
  test('the real cost, at the price of the signature, for the policy whose signature was used', () => {
    const ledger = createLedger(empty)
    ledger.reserve(key(), claim())
    ledger.reserve(key(), claim({ userOpHash: hash(2), policyId: 2 }))
    const { put } = ledger.settle(1, block(5), [payment({ hash: hash(2), actualGasCost: 33n })])
    expect(put.map(({ settled }) => settled)).toEqual([{ userOpHash: hash(2), native: 33n, block: block(5) }])
    expect(ledger.spent(1)).toEqual(nothing)
    expect(ledger.spent(2)).toEqual({ usd: 330n, native: 33n, count: 1 })
    expect(ledger.promised('t1', key({ nonce: 9n }))).toBe(0n)
  })
  test('US dollars are rounded up', () => {
    const ledger = createLedger(empty)
    ledger.reserve(key(), claim({ native: 3n, usd: 10n }))
    ledger.settle(1, block(5), [payment({ actualGasCost: 2n })])
    expect(ledger.spent(1).usd).toBe(7n)
  })
  test('an operation that we did not sign like this is borne by the newest signature', () => {
    const ledger = createLedger(empty)
    ledger.reserve(key(), claim())
    ledger.settle(1, block(5), [payment({ hash: hash(77) })])
    expect(ledger.spent(1).native).toBe(60n)
  })
  test('what we know nothing of changes nothing', () => {
    const ledger = createLedger(empty)
    const nothingDone: LedgerChange = { put: [], remove: [], totals: [] }
    expect(ledger.settle(1, block(5), [payment()])).toEqual(nothingDone)
    ledger.reserve(key(), claim())
    expect(ledger.settle(2, block(5), [payment()])).toEqual(nothingDone)
  })
  test('a used nonce is signed for no more', () => {
    const ledger = createLedger(empty)
    ledger.reserve(key(), claim())
    ledger.settle(1, block(5), [payment()])
    expect(reason(() => ledger.reserve(key(), claim({ userOpHash: hash(2) })))).toBe('nonce_used')
  })
})

test('a reorg that undoes and redoes a payment leaves the ledger as if it happened once', () => {
  const once = createLedger(empty)
  once.reserve(key(), claim())
  once.settle(1, block(6), [payment()])
  const twice = createLedger(empty)
  twice.reserve(key(), claim())
  twice.settle(1, block(5), [payment()])
  twice.unsettle(1, block(5))
  expect(twice.spent(1)).toEqual({ usd: 1000n, native: 100n, count: 1 })
  twice.settle(1, block(6), [payment()])
  expect(twice.spent(1)).toEqual(once.spent(1))
  expect(twice.finalize(1, { number: 6, timestamp: 0 })).toEqual(
    once.finalize(1, { number: 6, timestamp: 0 }),
  )
})

describe('finalizing', () => {
  test('what was paid becomes a total, and still counts', () => {
    const ledger = createLedger(empty)
    ledger.reserve(key(), claim())
    ledger.settle(1, block(5), [payment()])
    expect(ledger.finalize(1, { number: 4, timestamp: 0 })).toEqual({ put: [], remove: [], totals: [] })
    const spent = { usd: 600n, native: 60n, count: 1 }
    expect(ledger.finalize(1, { number: 5, timestamp: 0 })).toEqual({
      put: [],
      remove: [key()],
      totals: [{ policyId: 1, sender: address(1), spent }],
    })
    expect(ledger.spent(1)).toEqual(spent)
  })
  test('what expired is released, once every signature has', () => {
    const ledger = createLedger(empty)
    ledger.reserve(key(), claim({ validUntil: 1000 }))
    ledger.reserve(key(), claim({ userOpHash: hash(2), validUntil: 1500 }))
    expect(ledger.finalize(1, { number: 9, timestamp: 1500 }).remove).toEqual([])
    expect(ledger.finalize(2, { number: 9, timestamp: 1501 }).remove).toEqual([])
    expect(ledger.finalize(1, { number: 9, timestamp: 1501 }).remove).toEqual([key()])
    expect(ledger.spent(1)).toEqual(nothing)
  })
  test('of several signatures each goes when it has expired', () => {
    const ledger = createLedger(empty)
    ledger.reserve(key(), claim({ validUntil: 1000, native: 900n }))
    const later = claim({ userOpHash: hash(2), validUntil: 1500 })
    ledger.reserve(key(), later)
    expect(ledger.finalize(1, { number: 9, timestamp: 1000 }).put).toEqual([])
    expect(ledger.spent(1).native).toBe(900n)
    expect(ledger.finalize(1, { number: 9, timestamp: 1001 }).put).toEqual([
      { ...key(), claims: [later], settled: undefined },
    ])
    expect(ledger.spent(1).native).toBe(100n)
    expect(ledger.promised('t1', key({ nonce: 9n }))).toBe(100n)
  })
})

describe('a stranger with a public key cannot lock a budget', () => {
  test('a sender has few open', () => {
    const ledger = createLedger(empty)
    for (let nonce = 0; nonce < maxOpenPerSender; nonce++)
      ledger.reserve(key({ nonce: BigInt(nonce) }), claim({ userOpHash: hash(nonce) }))
    const next = key({ nonce: 99n })
    expect(reason(() => ledger.reserve(next, claim()))).toBe('too_many_open_of_sender')
    ledger.reserve(key({ nonce: 0n }), claim({ userOpHash: hash(500) }))
    ledger.reserve(key({ nonce: 1n }), claim({ userOpHash: hash(1) }))
    ledger.settle(1, block(1), [payment()])
    expect(reason(() => ledger.reserve(next, claim()))).toBe('none')
  })
  test('a nonce has few signatures, the same again being one', () => {
    const ledger = createLedger(empty)
    for (let n = 0; n < maxClaims; n++) ledger.reserve(key(), claim({ userOpHash: hash(n) }))
    ledger.reserve(key(), claim({ userOpHash: hash(0) }))
    expect(reason(() => ledger.reserve(key(), claim({ userOpHash: hash(77) })))).toBe(
      'too_many_open_of_nonce',
    )
  })
  test("that is another tenant's locks nobody else's", () => {
    const ledger = createLedger(empty)
    for (let nonce = 0; nonce < maxOpenPerSender; nonce++)
      ledger.reserve(key({ nonce: BigInt(nonce) }), claim({ userOpHash: hash(nonce) }))
    for (let n = 1; n < maxClaims; n++)
      ledger.reserve(key({ nonce: 0n }), claim({ userOpHash: hash(50 + n) }))
    const own = (n: number) => claim({ tenantId: 't2', policyId: 2, userOpHash: hash(100 + n) })
    for (const nonce of [0n, 99n])
      expect(reason(() => ledger.reserve(key({ nonce }), own(Number(nonce))))).toBe('none')
    expect(ledger.spent(2).count).toBe(2)
  })
})

test('what could not be stored is withdrawn, as if it had never been', () => {
  const ledger = createLedger(empty)
  const [cheap, dear] = [claim(), claim({ userOpHash: hash(2), native: 500n })]
  ledger.reserve(key(), cheap)
  ledger.reserve(key(), dear)
  ledger.withdraw(key(), dear)
  expect(ledger.spent(1).native).toBe(100n)
  ledger.withdraw(key(), cheap)
  expect(ledger.spent(1)).toEqual(nothing)
})
test('what was reserved anew meanwhile is not withdrawn', () => {
  const ledger = createLedger(empty)
  const first = claim()
  ledger.reserve(key(), first)
  expect(ledger.has(key(), hash(1))).toBe(true)
  expect(ledger.has(key(), hash(2))).toBe(false)
  ledger.reserve(key(), claim())
  ledger.withdraw(key(), first)
  expect(ledger.spent(1).native).toBe(100n)
})

/** Whatever happens, a ledger made from what was stored equals the one that lives on. */
test('2,000 random events: the stored changes make the same ledger', () => {
  const source = random(41)
  const ledger = createLedger(empty)
  const stored = new Map<string, Sponsorship>()
  const totals = new Map<string, { policyId: number; sender: `0x${string}`; spent: typeof nothing }>()
  const nameOf = ({ paymaster, sender, nonce }: ReturnType<typeof key>) => `${paymaster} ${sender} ${nonce}`
  const store = ({ put, remove, totals: added }: LedgerChange) => {
    for (const { chainId, paymaster, sender, nonce, claims, settled } of put)
      stored.set(nameOf({ chainId, paymaster, sender, nonce }), {
        ...{ chainId, paymaster, sender, nonce },
        ...{ claims, settled },
      })
    for (const gone of remove) stored.delete(nameOf(gone))
    for (const total of added) totals.set(`${total.policyId} ${total.sender}`, total)
  }
  let height = 10
  let settledThere = 0
  for (let step = 0; step < 2000; step++) {
    const some = key({ sender: address(1 + source.int(4)), nonce: BigInt(source.int(6)) })
    const act = source.int(10)
    try {
      if (act < 5)
        store(
          ledger.reserve(
            some,
            claim({
              userOpHash: hash(source.int(50)),
              policyId: 1 + source.int(3),
              native: BigInt(1 + source.int(500)),
              usd: BigInt(source.int(5000)),
              validUntil: 100 * (height + source.int(5)),
            }),
          ),
        )
      else if (act < 8) {
        const change = ledger.settle(1, block(height), [
          { ...some, hash: hash(source.int(50)), actualGasCost: BigInt(source.int(500)) },
        ])
        settledThere += change.put.length
        store(change)
      } else if (act < 9) store(ledger.unsettle(1, block(height - source.int(3))))
      else {
        height += 1
        store(ledger.finalize(1, { number: height - 3, timestamp: 100 * (height - 3) }))
      }
    } catch (error) {
      expect((error as Error).name).toBe('PaymasterError')
    }
    const again = createLedger({ sponsorships: [...stored.values()], totals: [...totals.values()] })
    for (const policyId of [1, 2, 3]) {
      expect(again.spent(policyId)).toEqual(ledger.spent(policyId))
      expect(again.usage(policyId, some)).toEqual(ledger.usage(policyId, some))
    }
    expect(again.promised('t1', some)).toBe(ledger.promised('t1', some))
  }
  expect(settledThere).toBeGreaterThan(50)
  expect(totals.size).toBeGreaterThan(5)
})
