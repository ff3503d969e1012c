import type { Endpoint } from '../../src/base/threads.ts'

declare const self: Endpoint

const stepsOfRound = 10_000

/** Told ms: counts for so long, with nothing but its own registers, and tells how far it came. */
self.onmessage = ({ data }) => {
  const end = performance.now() + (data as number)
  let rounds = 0
  for (let state = 1; performance.now() < end; rounds += 1)
    for (let step = 0; step < stepsOfRound; step += 1) state = Math.imul(state, 1_103_515_245) + 12_345
  self.postMessage(rounds)
}
