import { nextTurn } from './next-turn.ts'

/** Resolves for one after the other, in the order of asking: between two of them everybody else has a turn. */
export type Turns = () => Promise<void>

export function createTurns(): Turns {
  let last = Promise.resolve()
  return () => {
    last = last.then(nextTurn)
    return last
  }
}
