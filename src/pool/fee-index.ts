import { effectivePriorityFee } from '../types/userop-cost.ts'
import { createHeap } from './heap.ts'
import type { Held } from './held.ts'
import { insert, type Order, remove, type Tree } from './tree.ts'

/**
 * Operations by what they pay above any base fee, in O(log n) for each that is asked for, whatever the base fee.
 *
 * An operation pays min(priority, max − base). Its spread, max − priority, tells which: those with a spread of at
 * least the base fee pay their priority fee, the others what their maximum leaves. So operations are sorted by
 * spread, which no base fee changes, and each subtree knows its extreme by priority fee and by maximum. Apart from
 * the O(log n) subtrees on the border between the two kinds, a subtree is wholly of one kind, so its extreme is known
 * without entering it, and a best-first search enters only what it gives back.
 */
export type FeeIndex = {
  add(held: Held): void
  delete(held: Held): void
  /** Of the operations as they are now, in the order of the index. */
  search(baseFee: bigint): FeeSearch
}

export type FeeSearch = {
  next(): Held | undefined
  /** One more that was not in the index. */
  push(held: Held): void
}

/** `best`: highest fee first, and of equal ones the oldest. `worst`: the reverse. */
export type Direction = 'best' | 'worst'

/** The first of a subtree in the direction of the index, by either fee. */
type Extremes = { priority: Held; max: Held }
type Fees = Tree<Held, Extremes>

/** Which fee decides in a subtree. */
type Side = 'priority' | 'max' | 'mixed'
type Step =
  | { kind: 'item'; fee: bigint; held: Held }
  /** `held` is its first item, `undefined` when only a bound is known. */
  | { kind: 'subtree'; fee: bigint; held: Held | undefined; tree: NonNullable<Fees>; side: Side }

export function createFeeIndex(direction: Direction): FeeIndex {
  const sign = direction === 'best' ? 1 : -1
  const compareFees = (a: bigint, b: bigint): number => sign * descending(a, b)
  const compareAge = (a: Held, b: Held): number => sign * (ageOf(a, b) || a.arrival - b.arrival)
  const firstBy = (fee: (held: Held) => bigint, a: Held, b: Held | undefined): Held =>
    b === undefined || (compareFees(fee(a), fee(b)) || compareAge(a, b)) <= 0 ? a : b

  const order: Order<Held, Extremes> = {
    compare: (a, b) => descending(spreadOf(b), spreadOf(a)) || a.arrival - b.arrival,
    summarize: (item, left, right) => ({
      priority: firstBy(priorityFee, firstBy(priorityFee, item, left?.priority), right?.priority),
      max: firstBy(maxFee, firstBy(maxFee, item, left?.max), right?.max),
    }),
  }
  let tree: Fees

  return {
    add(held) {
      tree = insert(order, tree, held)
    },
    delete(held) {
      tree = remove(order, tree, held)
    },
    search: (baseFee) => search(tree, baseFee),
  }

  function search(root: Fees, baseFee: bigint): FeeSearch {
    const steps = createHeap<Step>(
      (a, b) =>
        compareFees(a.fee, b.fee) ||
        // A mere bound comes first: what is behind it may be older.
        (a.held === undefined ? -1 : b.held === undefined ? 1 : compareAge(a.held, b.held)),
    )
    const push = (held: Held): void =>
      steps.push({ kind: 'item', fee: effectivePriorityFee(held.op, baseFee), held })
    enter(root, 'mixed')
    return {
      push,
      next() {
        for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
          if (step.kind === 'item') return step.held
          open(step.tree, step.side)
        }
        return undefined
      },
    }

    function open({ item, left, right }: NonNullable<Fees>, side: Side): void {
      push(item)
      const paysPriority = spreadOf(item) >= baseFee
      enter(left, side === 'mixed' && !paysPriority ? 'max' : side)
      enter(right, side === 'mixed' && paysPriority ? 'priority' : side)
    }

    function enter(subtree: Fees, side: Side): void {
      if (subtree === undefined) return
      const { priority, max } = subtree.summary
      const [byPriority, byMax] = [priorityFee(priority), maxFee(max) - baseFee]
      switch (side) {
        case 'priority':
          steps.push({ kind: 'subtree', fee: byPriority, held: priority, tree: subtree, side })
          break
        case 'max':
          steps.push({ kind: 'subtree', fee: byMax, held: max, tree: subtree, side })
          break
        case 'mixed': {
          const fee = byPriority < byMax ? byPriority : byMax
          steps.push({ kind: 'subtree', fee, held: undefined, tree: subtree, side })
        }
      }
    }
  }
}

/** Never by a difference, which would have to fit a number. */
const descending = (a: bigint, b: bigint): number => (a > b ? -1 : a < b ? 1 : 0)
const ageOf = (a: Held, b: Held): number => a.entry.receivedAt - b.entry.receivedAt
const priorityFee = ({ op }: Held): bigint => op.maxPriorityFeePerGas
const maxFee = ({ op }: Held): bigint => op.maxFeePerGas
const spreadOf = (held: Held): bigint => maxFee(held) - priorityFee(held)
