import { expect, test } from 'bun:test'
import { createStates } from '../../../src/bundler/states.ts'
import type { StateChange } from '../../../src/types/status.ts'
import { address, hash } from '../../support/builders.ts'
import { chainId, context, fakeStore, now } from './support.ts'

/** States over a store that takes what it is given as long as it is up. */
function statesOf() {
  const saves: StateChange[][] = []
  const store = { up: true, gate: Promise.resolve() }
  const states = createStates(
    { chainId, now },
    {
      ...context,
      store: fakeStore({
        async changeStates(changes) {
          await store.gate
          if (!store.up) throw new Error('disk full')
          saves.push([...changes])
        },
      }),
    },
  )
  const enter = (kind: 'queued' | 'pending') =>
    states.apply('0.7', [{ hash: hash(1), sender: address(1), state: { kind } }])
  return {
    states,
    store,
    saves,
    enter,
    kinds: () => saves.map((save) => save.map(({ state }) => state.kind)),
  }
}

test('subscribers are told at once', () => {
  const { states, enter } = statesOf()
  const told: string[] = []
  const stop = states.subscribe(({ state }) => told.push(state.kind))
  enter('queued')
  stop()
  enter('pending')
  expect(told).toEqual(['queued'])
})

test('changes of one operation during a save become one', async () => {
  const { states, store, enter, kinds } = statesOf()
  const { promise, resolve } = Promise.withResolvers<void>()
  store.gate = promise
  enter('queued')
  enter('pending')
  enter('queued')
  enter('pending')
  resolve()
  await states.flush()
  expect(kinds()).toEqual([['queued'], ['pending']])
})

test('what is being stored can be asked for', async () => {
  const { states, enter } = statesOf()
  enter('pending')
  expect(states.newest(hash(1))?.state).toEqual({ kind: 'pending' })
  await states.flush()
  expect(states.newest(hash(1))).toBeUndefined()
})

test('a flush fails while the store is down, and loses nothing', async () => {
  const { states, store, enter, saves } = statesOf()
  store.up = false
  enter('pending')
  await expect(states.flush()).rejects.toThrow('disk full')
  expect(states.newest(hash(1))?.state).toEqual({ kind: 'pending' })
  store.up = true
  await states.flush()
  expect(saves.map((save) => save.length)).toEqual([1])
})
