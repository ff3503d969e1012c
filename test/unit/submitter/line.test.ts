import { expect, test } from 'bun:test'
import { privateKeyToAccount } from 'viem/accounts'
import { type Line, newLine, nextNonce, slotsOf, viewOf } from '../../../src/bundler/submitter/line.ts'
import type { Slot } from '../../../src/bundler/submitter/slot.ts'
import { anvilKeys } from '../../../src/dev/anvil.ts'
import type { RelayerState } from '../../../src/types/ports/submitter.ts'
import { inclusion, operations, relayer, slot } from './builders.ts'

function line(changes: Partial<Omit<Line, 'slots'>> = {}, slots: readonly Slot[] = []): Line {
  const made = { ...newLine(relayer, privateKeyToAccount(anvilKeys[1])), balance: 1000n, ...changes }
  for (const each of slots) made.slots.set(each.nonce, each)
  return made
}

function state(of: Line): RelayerState {
  return viewOf(of, 100n).state
}

const closingEvent = { chainId: 1, bundleId: 'bundle', operations }

test('the next nonce is that of the chain when nothing is open', () => {
  expect(nextNonce(line({ chainNonce: 4 }))).toBe(4)
})

test('the next nonce is above all open ones', () => {
  expect(nextNonce(line({ chainNonce: 4 }, [slot({ nonce: 7 }), slot({ nonce: 6 })]))).toBe(8)
})

test('a chain that is ahead of our open nonces decides', () => {
  expect(nextNonce(line({ chainNonce: 12 }, [slot({ nonce: 7 })]))).toBe(12)
})

test('slots come in nonce order', () => {
  expect(slotsOf(line({}, [slot({ nonce: 9 }), slot({ nonce: 2 })])).map(({ nonce }) => nonce)).toEqual([
    2, 9,
  ])
})

test('a view holds all that others may know', () => {
  expect(viewOf(line({ chainNonce: 3 }), 100n)).toEqual({
    address: relayer,
    state: 'idle',
    balance: 1000n,
    nextNonce: 3,
  })
})

test.each([
  ['nothing open', line(), 'idle'],
  ['a bundle being sent', line({ submitting: true }), 'busy'],
  ['a pending bundle', line({}, [slot()]), 'busy'],
  [
    'a mined one that is watched',
    line({}, [slot({ state: { kind: 'mined', inclusion: inclusion('first') } })]),
    'idle',
  ],
  [
    'an abandoned one that the journal still holds',
    line({}, [
      slot({ state: { kind: 'closing', event: { ...closingEvent, kind: 'abandoned', reason: '' } } }),
    ]),
    'busy',
  ],
  [
    'a final one that the journal still holds',
    line({}, [
      slot({
        state: {
          kind: 'closing',
          event: { ...closingEvent, kind: 'finalized', transactionHash: inclusion('first').transactionHash },
        },
      }),
    ]),
    'idle',
  ],
  ['unknown transactions pending', line({ foreignPending: true }), 'recovering'],
  ['less than the least balance', line({ balance: 99n }), 'low-balance'],
  ['the least balance', line({ balance: 100n }), 'idle'],
  ['no more than a node refused', line({ refusedAt: 1000n }), 'low-balance'],
  ['more than a node refused', line({ refusedAt: 999n }), 'idle'],
] as const)('with %s', (_name, of, expected) => {
  expect(state(of)).toBe(expected)
})
