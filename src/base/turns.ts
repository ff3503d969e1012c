import { nextTurn } from './next-turn.ts'

/** Does work when it is its turn, on a thread that others need too. */
export type Turns = <Result>(work: () => Result) => Promise<Result>

/** One work after the other, in the order of asking: between two of them everybody else has a turn. */
export function createTurns(): Turns {
  let last = Promise.resolve()
  return (work) => {
    last = last.then(nextTurn)
    return last.then(work)
  }
}

/** ms that a thread may work without looking at its messages; more would let answers of nodes grow old unread */
const longestStretch = 50

/** At once, unless the thread has worked for long; then for one such stretch in each turn of the event loop. */
export function createStretches({ now = () => performance.now() } = {}): Turns {
  let since = now()
  let turn: Promise<void> | undefined

  async function startAnew(): Promise<void> {
    await nextTurn()
    since = now()
    turn = undefined
  }

  return async (work) => {
    while (now() - since > longestStretch) {
      turn ??= startAnew()
      await turn
    }
    return work()
  }
}
