import { expect, test } from 'bun:test'
import { gaps, relayersIn, restoreSlots } from '../../../src/bundler/submitter/restore.ts'
import { hash, operations, relayer, slot, transaction } from './builders.ts'

const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

test('a bundle comes back with all of its versions, each perhaps sent', () => {
  const first = transaction('first')
  const second = transaction('second')
  const journal = [{ bundleId: 'bundle', operations, transactions: [first, second] }]
  expect(restoreSlots(journal, { relayer, head: 50 })).toEqual(
    new Map([
      [
        7,
        [
          slot({
            openedAt: 50,
            versions: [
              { transaction: first, delivery: 'unknown' },
              { transaction: second, delivery: 'unknown' },
            ],
            state: { kind: 'pending', since: 50, missingSince: undefined, obstacle: 'none', held: false },
          }),
        ],
      ],
    ]),
  )
})

test('only the bundles of the relayer are its own', () => {
  const foreign = transaction('foreign', { relayer: other })
  const journal = [{ bundleId: 'bundle', operations, transactions: [foreign] }]
  expect(restoreSlots(journal, { relayer, head: 50 }).size).toBe(0)
  expect(relayersIn(journal)).toEqual(new Set([other]))
})

test('two bundles of one nonce come oldest first', () => {
  const old = transaction('old', { bundleId: 'old', createdAt: 1 })
  const young = transaction('young', { bundleId: 'young', createdAt: 2 })
  const journal = [
    { bundleId: 'young', operations: [hash('b')], transactions: [young] },
    { bundleId: 'old', operations: [hash('a')], transactions: [old] },
  ]
  const found = restoreSlots(journal, { relayer, head: 50 }).get(7)
  expect(found?.map(({ bundleId }) => bundleId)).toEqual(['old', 'young'])
})

test.each([
  [4, [], []],
  [4, [4, 5], []],
  [4, [6], [4, 5]],
  [4, [4, 7], [5, 6]],
  [9, [4, 7], []],
])('above chain nonce %p the open nonces %p leave the gaps %p', (chainNonce, nonces, expected) => {
  expect(gaps(chainNonce, nonces)).toEqual(expected)
})
