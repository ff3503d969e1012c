import { effectivePriorityFee } from '../types/userop-cost.ts'
import type { Entry } from './entry.ts'
import { Sorted } from './sorted.ts'

const compareFees = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)
/** Who came first is better; no two arrivals are equal. */
const earlier = (a: Entry, b: Entry): number => b.arrival - a.arrival

const byPriorityFee = (a: Entry, b: Entry): number =>
  compareFees(a.op.maxPriorityFeePerGas, b.op.maxPriorityFeePerGas) || earlier(a, b)
const byMaxFee = (a: Entry, b: Entry): number =>
  compareFees(a.op.maxFeePerGas, b.op.maxFeePerGas) || earlier(a, b)

/** Least fees first: who has to go when the pool is full. */
export const byWorth = (a: Entry, b: Entry): number =>
  compareFees(a.op.maxPriorityFeePerGas, b.op.maxPriorityFeePerGas) || byMaxFee(a, b)

/**
 * Entries by what they pay above any base fee, without sorting anew when it changes. That is
 * min(priority, max − base), and both of its arguments are indexed: walking both indexes down at once, whatever was
 * not seen yet pays at most the smaller of the two fees last seen (the threshold algorithm of Fagin).
 */
export class FeeOrder {
  readonly #byPriority = new Sorted<Entry>(byPriorityFee)
  readonly #byMax = new Sorted<Entry>(byMaxFee)

  insert(entry: Entry): void {
    this.#byPriority.insert(entry)
    this.#byMax.insert(entry)
  }

  delete(entry: Entry): void {
    this.#byPriority.delete(entry)
    this.#byMax.delete(entry)
  }

  /** Best first, those that cannot pay `baseFee` left out. The order must not change meanwhile. */
  *best(baseFee: bigint): Generator<Entry> {
    const compare = (a: Entry, b: Entry): number =>
      compareFees(effectivePriorityFee(a.op, baseFee), effectivePriorityFee(b.op, baseFee)) || earlier(a, b)
    const seen = new Set<Entry>()
    const waiting: Entry[] = []
    const priorities = this.#byPriority.descending()
    const maxima = this.#byMax.descending()
    for (;;) {
      const [priority, max] = [priorities.next(), maxima.next()]
      for (const { value } of [priority, max]) {
        if (value === undefined || seen.has(value)) continue
        seen.add(value)
        insertSorted(waiting, value, compare)
      }
      // Every entry is in both indexes, so the one that ends first ends the walk.
      const ended = priority.done || max.done
      const bound = ended
        ? -1n
        : smaller(priority.value.op.maxPriorityFeePerGas, max.value.op.maxFeePerGas - baseFee)
      yield* this.#takeAbove(waiting, bound, baseFee)
      if (ended || bound < 0n) return
    }
  }

  /** Those that nothing unseen can beat. Equal ones stay: an unseen one may have come earlier. */
  *#takeAbove(waiting: Entry[], bound: bigint, baseFee: bigint): Generator<Entry> {
    for (let best = waiting.at(-1); best !== undefined; best = waiting.at(-1)) {
      const fee = effectivePriorityFee(best.op, baseFee)
      if (fee <= bound || fee < 0n) return
      waiting.pop()
      yield best
    }
  }
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** Ascending, by binary search. */
function insertSorted(list: Entry[], entry: Entry, compare: (a: Entry, b: Entry) => number): void {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const other = list[middle]
    if (other !== undefined && compare(other, entry) < 0) low = middle + 1
    else high = middle
  }
  list.splice(low, 0, entry)
}
