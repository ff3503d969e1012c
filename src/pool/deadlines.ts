import type { Held } from './held.ts'
import { ascending, insert, type Order, remove, type Tree } from './tree.ts'

/** Operations by the time when something happens to them, each at most once. */
export type Deadlines = {
  /** In the unit that the owner uses; `undefined` is never. */
  set(held: Held, at: number | undefined): void
  /** Those whose time has come at `time`, earliest first. They stay. */
  due(time: number): readonly Held[]
}

type Deadline = { at: number; held: Held }

const order: Order<Deadline, undefined> = {
  compare: (a, b) => a.at - b.at || a.held.arrival - b.held.arrival,
  summarize: () => undefined,
}

export function createDeadlines(): Deadlines {
  const current = new Map<Held, Deadline>()
  let tree: Tree<Deadline, undefined>

  return {
    set(held, at) {
      const known = current.get(held)
      if (known?.at === at) return
      if (known !== undefined) {
        tree = remove(order, tree, known)
        current.delete(held)
      }
      if (at === undefined) return
      const deadline = { at, held }
      tree = insert(order, tree, deadline)
      current.set(held, deadline)
    },
    due(time) {
      const due: Held[] = []
      for (const { at, held } of ascending(tree)) {
        if (at > time) break
        due.push(held)
      }
      return due
    },
  }
}
