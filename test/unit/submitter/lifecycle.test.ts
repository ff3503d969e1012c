import { describe, expect, test } from 'bun:test'
import {
  advance,
  type LifecycleSettings,
  type Observation,
} from '../../../src/bundler/submitter/lifecycle.ts'
import type { SendOutcome } from '../../../src/bundler/submitter/outcome.ts'
import type { Delivery, Obstacle, Slot, SlotState, Version } from '../../../src/bundler/submitter/slot.ts'
import { hash, inclusion, market, operations, slot, transaction, version } from './builders.ts'

const settings: LifecycleSettings = {
  reorgDepth: 3,
  replaceAfterBlocks: 2,
  maxFeeCeiling: undefined,
  relaying: { mode: 'classic', submitUrl: undefined, conditional: false },
}
const bumped = { maxFeePerGas: 1125n, maxPriorityFeePerGas: 113n, legacy: false }
const about = { chainId: 1, bundleId: 'bundle', operations }

function pending(changes: Partial<Extract<SlotState, { kind: 'pending' }>> = {}): SlotState {
  return { kind: 'pending', since: 100, missingSince: undefined, obstacle: 'none', held: false, ...changes }
}

function sent(name: string, outcome: SendOutcome): Observation {
  return { kind: 'sent', hash: hash(name), outcome }
}

function nowhere(changes: Partial<Extract<Observation, { kind: 'nowhere' }>> = {}): Observation {
  return { kind: 'nowhere', chainNonce: 7, head: 101, market, ...changes }
}

function after(before: Slot, observation: Observation, changes: Partial<LifecycleSettings> = {}) {
  return advance(before, observation, { ...settings, ...changes })
}

const mined = slot({ state: { kind: 'mined', inclusion: inclusion('first') } })
const cancelVersion = version('cancel', { kind: 'cancel' })

describe('a new version', () => {
  test('is the newest, unsent, and counts blocks anew', () => {
    const second = transaction('second')
    const before = slot({ state: pending({ obstacle: 'underpriced' }) })
    expect(after(before, { kind: 'signed', transaction: second, head: 105 })).toEqual({
      slot: slot({
        versions: [version('first'), { transaction: second, delivery: 'unsent' }],
        state: pending({ since: 105 }),
      }),
      actions: [],
    })
  })
})

describe('sending the only version', () => {
  const refusal = { kind: 'refused', reason: 'intrinsic gas too low' } as const
  const unfunded = { kind: 'unfunded', reason: 'insufficient funds' } as const
  const rows: [Delivery, SendOutcome, Delivery, Obstacle][] = [
    ['unsent', { kind: 'accepted' }, 'accepted', 'none'],
    ['unsent', { kind: 'unknown', reason: '' }, 'unknown', 'none'],
    ['unsent', { kind: 'underpriced' }, 'refused', 'underpriced'],
    ['unsent', { kind: 'unclear', reason: '' }, 'unknown', 'unclear'],
    ['unknown', { kind: 'accepted' }, 'accepted', 'none'],
    ['unknown', { kind: 'underpriced' }, 'unknown', 'underpriced'],
    ['unknown', refusal, 'unknown', 'refused'],
    ['unknown', unfunded, 'unknown', 'unfunded'],
    ['accepted', { kind: 'unknown', reason: '' }, 'accepted', 'none'],
    ['accepted', refusal, 'accepted', 'refused'],
    ['refused', { kind: 'accepted' }, 'accepted', 'none'],
    ['refused', { kind: 'unknown', reason: '' }, 'unknown', 'none'],
  ]
  test.each(rows)('%s, answered %j: %s, obstacle %s, kept', (delivery, outcome, next, obstacle) => {
    const before = slot({ versions: [version('first', { delivery })] })
    expect(after(before, sent('first', outcome))).toEqual({
      slot: slot({ versions: [version('first', { delivery: next })], state: pending({ obstacle }) }),
      actions: [],
    })
  })

  const stale = { kind: 'stale', reason: 'storage changed' } as const
  test.each([refusal, unfunded, stale])(
    '%j of one that never arrived anywhere ends the bundle',
    (outcome) => {
      const before = slot({ versions: [version('first', { delivery: 'unsent' })] })
      const event = { ...about, kind: 'abandoned', reason: outcome.reason } as const
      expect(after(before, sent('first', outcome))).toEqual({
        slot: slot({
          versions: [version('first', { delivery: 'refused' })],
          state: { kind: 'closing', event },
        }),
        actions: [{ kind: 'close', event }],
      })
    },
  )

  test('a used nonce is looked into, and proves nothing about the transaction', () => {
    const before = slot({ versions: [version('first', { delivery: 'unsent' })] })
    expect(after(before, sent('first', { kind: 'nonce-used' }))).toEqual({
      slot: slot({ versions: [version('first', { delivery: 'unknown' })] }),
      actions: [{ kind: 'look' }],
    })
  })

  test('a refused cancellation that fills a gap is kept: the nonce must be used up', () => {
    const before = slot({ operations: [], versions: [{ ...cancelVersion, delivery: 'unsent' }] })
    expect(after(before, sent('cancel', refusal))).toEqual({
      slot: slot({
        operations: [],
        versions: [{ ...cancelVersion, delivery: 'refused' }],
        state: pending({ obstacle: 'refused' }),
      }),
      actions: [],
    })
  })
})

describe('sending one of several versions', () => {
  test('a definitive refusal of the newest does not end what an older one may still do', () => {
    const versions = [version('first', { delivery: 'unknown' }), version('second', { delivery: 'unsent' })]
    const { slot: next, actions } = after(slot({ versions }), sent('second', { kind: 'refused', reason: '' }))
    expect(next.state).toEqual(pending({ obstacle: 'refused' }))
    expect(actions).toEqual([])
  })

  test('an older one that is refused for its fees is no obstacle', () => {
    const versions = [version('first'), version('second')]
    const before = slot({ versions })
    expect(after(before, sent('first', { kind: 'underpriced' }))).toEqual({ slot: before, actions: [] })
  })
})

describe('found in a block', () => {
  test('is told, and watched', () => {
    expect(after(slot(), { kind: 'found', inclusion: inclusion('first'), head: 101 })).toEqual({
      slot: mined,
      actions: [{ kind: 'tell', event: { ...about, kind: 'mined', ...inclusion('first') } }],
    })
  })

  test('an older version counts as well', () => {
    const versions = [version('first'), version('second')]
    const { actions } = after(slot({ versions }), {
      kind: 'found',
      inclusion: inclusion('first'),
      head: 101,
    })
    expect(actions).toEqual([{ kind: 'tell', event: { ...about, kind: 'mined', ...inclusion('first') } }])
  })

  test('a revert is told with its operations and sets them free', () => {
    const reverted = inclusion('first', { reverted: true })
    expect(after(slot(), { kind: 'found', inclusion: reverted, head: 101 })).toEqual({
      slot: slot({ released: true, operations: [], state: { kind: 'mined', inclusion: reverted } }),
      actions: [{ kind: 'tell', event: { ...about, kind: 'mined', ...reverted } }],
    })
  })

  test('its cancellation sets the operations free, and the nonce is still watched', () => {
    const versions = [version('first'), cancelVersion]
    expect(after(slot({ versions }), { kind: 'found', inclusion: inclusion('cancel'), head: 101 })).toEqual({
      slot: slot({
        versions,
        released: true,
        operations: [],
        state: { kind: 'mined', inclusion: inclusion('cancel') },
      }),
      actions: [
        {
          kind: 'tell',
          event: {
            ...about,
            kind: 'abandoned',
            reason: 'cancelled: it could not be sent',
            cost: 18_900_000n,
          },
        },
      ],
    })
  })

  test('a cancellation that fills a gap is told as mined', () => {
    const before = slot({ operations: [], versions: [cancelVersion] })
    const { actions } = after(before, { kind: 'found', inclusion: inclusion('cancel'), head: 101 })
    expect(actions).toEqual([
      { kind: 'tell', event: { ...about, operations: [], kind: 'mined', ...inclusion('cancel') } },
    ])
  })

  test('deep enough already, it is final at once', () => {
    const final = { ...about, kind: 'finalized', transactionHash: hash('first') } as const
    expect(after(slot(), { kind: 'found', inclusion: inclusion('first'), head: 104 })).toEqual({
      slot: slot({ state: { kind: 'closing', event: final } }),
      actions: [
        { kind: 'tell', event: { ...about, kind: 'mined', ...inclusion('first') } },
        { kind: 'close', event: final },
      ],
    })
  })
})

describe('a mined nonce', () => {
  test('that is found where it was stays', () => {
    expect(after(mined, { kind: 'found', inclusion: inclusion('first'), head: 103 })).toEqual({
      slot: mined,
      actions: [],
    })
  })

  test('is final at the reorg depth', () => {
    const event = { ...about, kind: 'finalized', transactionHash: hash('first') } as const
    expect(after(mined, { kind: 'found', inclusion: inclusion('first'), head: 104 })).toEqual({
      slot: slot({ state: { kind: 'closing', event } }),
      actions: [{ kind: 'close', event }],
    })
  })

  test('that moved to another block is told as mined again', () => {
    const moved = inclusion('first', { block: { number: 102, hash: hash('block 102') } })
    expect(after(mined, { kind: 'found', inclusion: moved, head: 103 })).toEqual({
      slot: slot({ state: { kind: 'mined', inclusion: moved } }),
      actions: [{ kind: 'tell', event: { ...about, kind: 'mined', ...moved } }],
    })
  })

  test('whose block is gone is sent again, every version in order, then told as unmined', () => {
    const versions = [version('first'), version('second')]
    const before = slot({ versions, state: mined.state })
    expect(after(before, nowhere({ head: 103 }))).toEqual({
      slot: slot({ versions, state: pending({ since: 103 }) }),
      actions: [
        { kind: 'send', transactions: [transaction('first'), transaction('second')] },
        { kind: 'tell', event: { ...about, kind: 'unmined', transactionHash: hash('first') } },
      ],
    })
  })

  test('whose block is gone while another transaction uses the nonce is not sent', () => {
    expect(after(mined, nowhere({ head: 103, chainNonce: 8 }))).toEqual({
      slot: slot({ state: pending({ since: 103, missingSince: 103 }) }),
      actions: [{ kind: 'tell', event: { ...about, kind: 'unmined', transactionHash: hash('first') } }],
    })
  })

  test('whose operations a revert set free is cancelled when its block is gone', () => {
    const before = slot({ released: true, operations: [], state: mined.state })
    expect(after(before, nowhere({ head: 103 })).actions).toEqual([
      { kind: 'sign', as: 'cancel', fees: bumped },
      {
        kind: 'tell',
        event: { ...about, operations: [], kind: 'unmined', transactionHash: hash('first') },
      },
    ])
  })

  test('that was cancelled sends only the cancellation again', () => {
    const versions = [version('first'), cancelVersion]
    const state: SlotState = { kind: 'mined', inclusion: inclusion('cancel') }
    const before = slot({ released: true, operations: [], versions, state })
    expect(after(before, nowhere({ head: 103 })).actions[0]).toEqual({
      kind: 'send',
      transactions: [transaction('cancel', { kind: 'cancel' })],
    })
  })

  test('learns how its versions were received', () => {
    const versions = [version('first', { delivery: 'unknown' })]
    const before = slot({ versions, state: mined.state })
    expect(after(before, sent('first', { kind: 'accepted' }))).toEqual({ slot: mined, actions: [] })
  })
})

describe('a nonce that is used although none of ours is mined', () => {
  test('proves nothing at one head', () => {
    expect(after(slot(), nowhere({ chainNonce: 8, head: 101 }))).toEqual({
      slot: slot({ state: pending({ missingSince: 101 }) }),
      actions: [],
    })
  })

  test('is not counted twice at the same head', () => {
    const before = slot({ state: pending({ missingSince: 101 }) })
    expect(after(before, nowhere({ chainNonce: 8, head: 101 }))).toEqual({ slot: before, actions: [] })
  })

  test('at a second head the bundle is abandoned', () => {
    const before = slot({ state: pending({ missingSince: 101 }) })
    const event = {
      ...about,
      kind: 'abandoned',
      reason: 'nonce 7 was used by another transaction of the relayer',
    } as const
    expect(after(before, nowhere({ chainNonce: 8, head: 102 }))).toEqual({
      slot: slot({ state: { kind: 'closing', event } }),
      actions: [{ kind: 'close', event }],
    })
  })

  test('that turns out unused again is sent again', () => {
    const before = slot({ state: pending({ missingSince: 101 }) })
    expect(after(before, nowhere())).toEqual({
      slot: slot(),
      actions: [{ kind: 'send', transactions: [transaction('first')] }],
    })
  })
})

describe('waiting for a block', () => {
  const due = nowhere({ head: 102 })

  function actionsOf(versions: readonly Version[], state: SlotState, observation = due) {
    return after(slot({ versions, state }), observation).actions
  }

  test('the newest version is sent again at each head', () => {
    expect(actionsOf([version('first'), version('second')], pending(), nowhere())).toEqual([
      { kind: 'send', transactions: [transaction('second')] },
    ])
  })

  test('a newest version that was refused leaves the one before it to be sent', () => {
    const versions = [version('first'), version('second', { delivery: 'refused' })]
    expect(actionsOf(versions, pending(), nowhere())).toEqual([
      { kind: 'send', transactions: [transaction('first')] },
    ])
  })

  test('after replaceAfterBlocks it is replaced with higher fees', () => {
    expect(actionsOf([version('first')], pending())).toEqual([{ kind: 'sign', as: 'bundle', fees: bumped }])
  })

  test('a replacement is at least of the market', () => {
    const dear = { ...market, maxFeePerGas: 9000n, maxPriorityFeePerGas: 900n }
    expect(actionsOf([version('first')], pending(), nowhere({ head: 102, market: dear }))).toEqual([
      {
        kind: 'sign',
        as: 'bundle',
        fees: { maxFeePerGas: 9000n, maxPriorityFeePerGas: 900n, legacy: false },
      },
    ])
  })

  describe('at a ceiling', () => {
    const again = { kind: 'send', transactions: [transaction('first')] } as const
    const held = { kind: 'tell', event: { ...about, kind: 'held', transactionHash: hash('first') } } as const
    const ceiling = { maxFeePerGas: 1124n, maxPriorityFeePerGas: 1000n }

    test.each([
      ["of the operator's", slot(), { maxFeeCeiling: 1100n }],
      ['of what its operations pay', slot({ ceiling }), {}],
      [
        'of the priority fee that they pay',
        slot({ ceiling: { maxFeePerGas: 9000n, maxPriorityFeePerGas: 112n } }),
        {},
      ],
    ])('%s the last version is kept and sent again, which is told once', (_name, before, changes) => {
      const { slot: next, actions } = after(before, due, changes)
      expect(actions).toEqual([again, held])
      expect(next.state).toEqual(pending({ held: true }))
      expect(after(next, nowhere({ head: 103 }), changes)).toEqual({ slot: next, actions: [again] })
    })

    test('exactly the ceiling is still offered', () => {
      const before = slot({ ceiling: { maxFeePerGas: 1125n, maxPriorityFeePerGas: 113n } })
      expect(after(before, due).actions).toEqual([{ kind: 'sign', as: 'bundle', fees: bumped }])
    })

    test('an underpriced one waits as well', () => {
      const before = slot({ ceiling, state: pending({ obstacle: 'underpriced' }) })
      expect(after(before, nowhere()).actions).toEqual([again, held])
    })

    test('the nonce is cancelled when the price does not come back', () => {
      const before = slot({ ceiling })
      expect(after(before, nowhere({ head: 119 })).actions).toEqual([again, held])
      expect(after(before, nowhere({ head: 120 })).actions).toEqual([
        { kind: 'sign', as: 'cancel', fees: bumped },
      ])
    })

    test("not even then above the operator's", () => {
      expect(after(slot({ ceiling }), nowhere({ head: 120 }), { maxFeeCeiling: 1100n }).actions).toEqual([
        again,
        held,
      ])
    })

    test('what its operations pay does not bind its cancellation', () => {
      const before = slot({ ceiling, versions: [version('first'), cancelVersion] })
      expect(after(before, due).actions).toEqual([{ kind: 'sign', as: 'cancel', fees: bumped }])
    })
  })

  test('one that nobody is known to have is not made dearer', () => {
    const versions = [version('first', { delivery: 'unknown' })]
    expect(actionsOf(versions, pending(), nowhere({ head: 119 }))).toEqual([
      { kind: 'send', transactions: [transaction('first')] },
    ])
  })

  test('one whose conditions failed is cancelled at the next head, whoever had it', () => {
    expect(actionsOf([version('first')], pending({ obstacle: 'stale' }), nowhere())).toEqual([
      { kind: 'sign', as: 'cancel', fees: bumped },
    ])
  })

  test('without a key or a price nothing is signed', () => {
    expect(actionsOf([version('first')], pending(), nowhere({ head: 110, market: undefined }))).toEqual([
      { kind: 'send', transactions: [transaction('first')] },
    ])
  })

  test('an underpriced version is replaced at the next head', () => {
    expect(actionsOf([version('first')], pending({ obstacle: 'underpriced' }), nowhere())).toEqual([
      { kind: 'sign', as: 'bundle', fees: bumped },
    ])
  })

  test('one that cannot be paid for is sent again until it can', () => {
    const versions = [version('first', { delivery: 'unknown' })]
    expect(actionsOf(versions, pending({ obstacle: 'unfunded' }), nowhere())).toEqual([
      { kind: 'send', transactions: [transaction('first')] },
    ])
  })

  test('one that is refused but may have arrived is cancelled at the next head', () => {
    const versions = [version('first', { delivery: 'unknown' })]
    expect(actionsOf(versions, pending({ obstacle: 'refused' }), nowhere())).toEqual([
      { kind: 'sign', as: 'cancel', fees: bumped },
    ])
  })

  test('a refused replacement of an accepted version waits for its turn and stays the bundle', () => {
    const versions = [version('first'), version('second', { delivery: 'refused' })]
    expect(actionsOf(versions, pending({ obstacle: 'refused' }), nowhere())).toEqual([
      { kind: 'send', transactions: [transaction('first')] },
    ])
    expect(actionsOf(versions, pending({ obstacle: 'refused' }))).toEqual([
      { kind: 'sign', as: 'bundle', fees: bumped },
    ])
  })

  test('one that nodes say no to in unknown words is cancelled when its replacement is due', () => {
    const versions = [version('first', { delivery: 'unknown' })]
    const state = pending({ obstacle: 'unclear' })
    expect(actionsOf(versions, state, nowhere())).toEqual([
      { kind: 'send', transactions: [transaction('first')] },
    ])
    expect(actionsOf(versions, state)).toEqual([{ kind: 'sign', as: 'cancel', fees: bumped }])
  })

  test('a cancellation is replaced by a cancellation', () => {
    expect(actionsOf([version('first'), cancelVersion], pending())).toEqual([
      { kind: 'sign', as: 'cancel', fees: bumped },
    ])
  })

  test('a gap is filled at once, at the price of the market', () => {
    const { maxFeePerGas, maxPriorityFeePerGas, legacy } = market
    expect(actionsOf([], pending(), nowhere())).toEqual([
      { kind: 'sign', as: 'cancel', fees: { maxFeePerGas, maxPriorityFeePerGas, legacy } },
    ])
  })

  test('a gap that cannot be signed for waits', () => {
    expect(actionsOf([], pending(), nowhere({ market: undefined }))).toEqual([])
  })

  test('operations that are free are never sent again: a cancellation is made instead', () => {
    const before = slot({ released: true, operations: [] })
    expect(after(before, nowhere({ market: undefined })).actions).toEqual([])
    expect(after(before, nowhere()).actions).toEqual([{ kind: 'sign', as: 'cancel', fees: bumped }])
  })
})

describe('with a relay', () => {
  const relay = { mode: 'merkle', url: 'http://relay.example' } as const
  const never = { relaying: { ...relay, fallbackBlocks: undefined } }
  const later = { relaying: { ...relay, fallbackBlocks: 5 } }
  const unclear = { kind: 'unclear', reason: 'no' } as const
  const held = slot({ versions: [version('first', { delivery: 'unknown' })] })

  test('a new version may be anywhere before it is answered for', () => {
    const { slot: next } = after(
      slot(),
      { kind: 'signed', transaction: transaction('second'), head: 1 },
      never,
    )
    expect(next.versions.at(-1)?.delivery).toBe('unknown')
  })

  test('a cancellation goes to the nodes, whose refusal counts', () => {
    const cancel = transaction('cancel', { kind: 'cancel' })
    const { slot: next } = after(slot(), { kind: 'signed', transaction: cancel, head: 1 }, never)
    expect(next.versions.at(-1)?.delivery).toBe('unsent')
  })

  test('its no abandons nothing', () => {
    const { slot: next, actions } = after(held, sent('first', unclear), never)
    expect(next.state).toEqual(pending({ obstacle: 'unclear' }))
    expect(actions).toEqual([])
  })

  test('without a fallback what it says no to is cancelled when a replacement is due', () => {
    const before = { ...held, state: pending({ obstacle: 'unclear' }) }
    expect(after(before, nowhere({ head: 102 }), never).actions).toEqual([
      { kind: 'sign', as: 'cancel', fees: bumped },
    ])
  })

  test('with a fallback the nodes are asked first', () => {
    const before = { ...held, state: pending({ obstacle: 'unclear' }) }
    for (const head of [102, 105]) {
      expect(after(before, nowhere({ head }), later).actions).toEqual([
        { kind: 'send', transactions: [transaction('first')] },
      ])
    }
    expect(after(before, nowhere({ head: 106 }), later).actions).toEqual([
      { kind: 'sign', as: 'cancel', fees: bumped },
    ])
  })

  test('however long that takes', () => {
    const relaying = { ...relay, fallbackBlocks: 50 }
    expect(after(held, nowhere({ head: 150 }), { relaying }).actions).toEqual([
      { kind: 'send', transactions: [transaction('first')] },
    ])
    expect(after(held, nowhere({ head: 151 }), { relaying }).actions).toEqual([
      { kind: 'sign', as: 'cancel', fees: bumped },
    ])
  })

  test('one that never answers is left in the end', () => {
    expect(after(held, nowhere({ head: 119 }), never).actions).toEqual([
      { kind: 'send', transactions: [transaction('first')] },
    ])
    expect(after(held, nowhere({ head: 120 }), never).actions).toEqual([
      { kind: 'sign', as: 'cancel', fees: bumped },
    ])
  })
})

describe('what is over', () => {
  const event = { ...about, kind: 'finalized', transactionHash: hash('first') } as const
  const closing = slot({ state: { kind: 'closing', event } })
  test.each<[string, Observation]>([
    ['an answer', sent('first', { kind: 'accepted' })],
    ['a block', { kind: 'found', inclusion: inclusion('first'), head: 110 }],
    ['its absence', nowhere({ head: 110 })],
    ['a version', { kind: 'signed', transaction: transaction('second'), head: 110 }],
  ])('is not changed by %s', (_name, observation) => {
    expect(after(closing, observation)).toEqual({ slot: closing, actions: [] })
  })
})
