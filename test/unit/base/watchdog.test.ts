import { expect, test } from 'bun:test'
import { createWatchdog } from '../../../src/base/watchdog.ts'

/** A thread on a clock of its own; looks are taken by hand. */
function watching(inFlight: number) {
  const thread = {
    ...{ inFlight, heardAt: 0, pings: 0 },
    ping() {
      thread.pings += 1
    },
  }
  const clock = { now: 0 }
  let silences = 0
  const onSilence = () => {
    silences += 1
  }
  const { look, stop } = createWatchdog(thread, { now: () => clock.now, onSilence })
  stop()
  return {
    thread,
    silences: () => silences,
    lookAt(ms: number) {
      clock.now = ms
      look()
    },
  }
}

test('a thread without work is not asked', () => {
  const { thread, silences, lookAt } = watching(0)
  for (const ms of [5_000, 60_000, 600_000]) lookAt(ms)
  expect([thread.pings, silences()]).toEqual([0, 0])
})

test('one that answers is alive, however long its work takes', () => {
  const { thread, silences, lookAt } = watching(1)
  for (let ms = 5_000; ms < 300_000; ms += 5_000) {
    lookAt(ms)
    thread.heardAt = ms
  }
  expect(silences()).toBe(0)
})

test('one with work that is silent for more than 15 seconds hangs', () => {
  const { thread, silences, lookAt } = watching(1)
  for (const ms of [5_000, 10_000, 20_000]) lookAt(ms)
  expect([thread.pings, silences()]).toEqual([1, 0])
  lookAt(20_001)
  expect(silences()).toBe(1)
})

test('silence before it had work is none', () => {
  const { thread, silences, lookAt } = watching(0)
  lookAt(100_000)
  thread.inFlight = 1
  lookAt(105_000)
  lookAt(110_000)
  expect([thread.pings, silences()]).toEqual([1, 0])
})
