import type { FrameView, Observer } from './observer.ts'

type Watcher = (frame: FrameView, opcode: number) => void

/** All of them at once: each is told in turn. */
export function combineObservers(observers: readonly Observer[]): Observer {
  const [only, ...others] = observers
  if (only !== undefined && others.length === 0) return only
  const before = new Map<number, Watcher>()
  for (const observer of observers) {
    for (const [opcode, watcher] of observer.before ?? []) {
      const earlier = before.get(opcode)
      before.set(opcode, earlier === undefined ? watcher : inTurn(earlier, watcher))
    }
  }
  const steps = observers.flatMap(({ step }) => step ?? [])
  const enters = observers.flatMap(({ enter }) => enter ?? [])
  const leaves = observers.flatMap(({ leave }) => leave ?? [])
  const observer: Observer = {
    before,
    enter(frame) {
      for (const enter of enters) enter(frame)
    },
    leave(frame, outcome, gasUsed) {
      for (const leave of leaves) leave(frame, outcome, gasUsed)
    },
  }
  if (steps.length > 0) observer.step = steps.reduce(inTurn)
  return observer
}

const inTurn =
  (first: Watcher, second: Watcher): Watcher =>
  (frame, opcode) => {
    first(frame, opcode)
    second(frame, opcode)
  }
