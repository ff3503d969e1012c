import { expect, test } from 'bun:test'
import { calm, type Held, hold } from '../../../src/base/held.ts'

const times = { raiseAfter: 30, clearAfter: 60 }

/** Whether it is raised after each of these moments. */
function raisedAt(...moments: readonly [now: number, isSo: boolean][]): boolean[] {
  let state: Held = calm
  return moments.map(([now, isSo]) => {
    state = hold(state, isSo, now, times)
    return state.raised
  })
}

test('what lasts is raised, and cleared when it has been over for long enough', () => {
  expect(raisedAt([0, true], [29, true], [30, true], [40, false], [99, false], [100, false])).toEqual([
    ...[false, false, true, true, true, false],
  ])
})

test('what comes and goes is not raised, and what goes and comes back is not cleared', () => {
  expect(raisedAt([0, true], [20, false], [25, true], [54, true], [55, true])).toEqual([
    ...[false, false, false, false, true],
  ])
  expect(raisedAt([0, true], [30, true], [40, false], [90, true], [95, false], [154, false])).toEqual([
    ...[false, true, true, true, true, true],
  ])
})

test('without a wait it is raised at once', () => {
  expect(hold(calm, true, 0, { raiseAfter: 0, clearAfter: 60 }).raised).toBe(true)
})
