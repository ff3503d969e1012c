import { expect, test } from 'bun:test'
import { address, hash, hashOf, userOp } from '../../support/builders.ts'
import { admit, effect, hashesIn, pool, refusal } from './support.ts'

const first = userOp({ maxFeePerGas: 100n, maxPriorityFeePerGas: 10n })
const enough = userOp({ maxFeePerGas: 110n, maxPriorityFeePerGas: 11n })
const underpriced = {
  code: -32602,
  message: 'replacement underpriced',
  data: {
    path: 'params[0].maxFeePerGas',
    maxFeePerGas: '0x6e',
    maxPriorityFeePerGas: '0xb',
    hint: 'an operation with this sender and nonce is pending: raise both fees by 10 %',
  },
}

test('10 % more on both fees replaces an operation', () => {
  const own = pool()
  admit(own, first)
  expect(admit(own, enough)).toEqual([
    effect(first, { kind: 'replaced', by: hashOf(enough) }),
    effect(enough, { kind: 'pending' }),
  ])
  expect(hashesIn(own)).toEqual([hashOf(enough)])
  expect(own.at(first.sender, 0n)?.hash).toBe(hashOf(enough))
})

test.each([
  ['maximum', { maxFeePerGas: 109n, maxPriorityFeePerGas: 11n }],
  ['priority', { maxFeePerGas: 110n, maxPriorityFeePerGas: 10n }],
])('too low a %s fee is refused with the fees that would do, before simulation and after', (_, fees) => {
  const own = pool()
  admit(own, first)
  expect(refusal(() => own.precheck(userOp(fees), 0))).toEqual(underpriced)
  expect(refusal(() => admit(own, userOp(fees)))).toEqual(underpriced)
  expect(hashesIn(own)).toEqual([hashOf(first)])
})

test('the required fees are rounded up', () => {
  const own = pool()
  admit(own, userOp({ maxFeePerGas: 11n, maxPriorityFeePerGas: 1n }))
  expect(
    refusal(() => admit(own, userOp({ maxFeePerGas: 12n, maxPriorityFeePerGas: 1n }))).data,
  ).toMatchObject({
    maxFeePerGas: '0xd',
    maxPriorityFeePerGas: '0x2',
  })
})

test('after useropsTTL no bump is needed', () => {
  const own = pool()
  admit(own, first)
  const same = { ...first, callData: '0x01' as const }
  expect(refusal(() => admit(own, same, {}, 300_000)).message).toBe('replacement underpriced')
  expect(admit(own, same, {}, 300_001)).toEqual([
    effect(first, { kind: 'replaced', by: hashOf(same) }),
    effect(same, { kind: 'pending' }),
  ])
})

test('what is bundled or submitted is not replaced at any price', () => {
  const own = pool()
  admit(own, first)
  const dear = userOp({ maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 12n })
  const refused = {
    code: -32602,
    message: 'an operation with this sender and nonce is already on its way into a block',
    data: {
      path: 'params[0].nonce',
      operation: hashOf(first),
      hint: 'it cannot be replaced any more: wait for its receipt',
    },
  }
  own.bundle([hashOf(first)], 'bundle')
  expect(refusal(() => own.precheck(dear, 10 ** 7))).toEqual(refused)
  own.submitted([hashOf(first)], 'bundle', hash(5))
  expect(refusal(() => admit(own, dear, {}, 10 ** 7))).toEqual(refused)
})

test('in the middle of a key it leaves the others where they are', () => {
  const own = pool()
  const [zero, one, two] = [0n, 1n, 2n].map((nonce) => userOp({ ...first, nonce }))
  for (const op of [zero, one, two]) if (op) admit(own, op, { chainSequence: 0n })
  const instead = userOp({ ...enough, nonce: 1n })
  expect(admit(own, instead, { chainSequence: 0n }).map(({ state }) => state.kind)).toEqual([
    'replaced',
    'pending',
  ])
})

test('addresses count however they are spelled', () => {
  const own = pool()
  const sender = '0xaBcdefabcdefABCDEFabcdefabcdefabcdefabcd'
  const lower = '0xabcdefabcdefabcdefabcdefabcdefabcdefabcd'
  admit(own, userOp({ ...first, sender }))
  expect(refusal(() => admit(own, userOp({ ...first, sender: lower }))).message).toBe(
    'replacement underpriced',
  )
  expect(own.at(lower, 0n)?.op.sender).toBe(sender)
  expect(own.at(address(9), 0n)).toBeUndefined()
})

test('the operation that is there already changes nothing', () => {
  const own = pool()
  admit(own, first)
  expect(admit(own, first)).toEqual([])
  expect(own.size).toBe(1)
})
