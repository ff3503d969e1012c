import { nonceSequence } from '../types/userop.ts'
import type { Entry } from './entry.ts'

/** The operations of one sender and nonce key, by sequence. */
export class Line {
  readonly #bySequence = new Map<bigint, Entry>()

  constructor(
    /** The next sequence on chain. */
    public next: bigint,
  ) {}

  get size(): number {
    return this.#bySequence.size
  }

  at(sequence: bigint): Entry | undefined {
    return this.#bySequence.get(sequence)
  }

  put(entry: Entry): void {
    this.#bySequence.set(nonceSequence(entry.op.nonce), entry)
  }

  remove(entry: Entry): void {
    const sequence = nonceSequence(entry.op.nonce)
    if (this.#bySequence.get(sequence) === entry) this.#bySequence.delete(sequence)
  }

  /** The one whose turn it is. */
  head(): Entry | undefined {
    return this.#bySequence.get(this.next)
  }

  /** Those that follow one another without a gap from the next sequence on, first to last. */
  *contiguous(): Generator<Entry> {
    for (let sequence = this.next; ; sequence++) {
      const entry = this.#bySequence.get(sequence)
      if (entry === undefined) return
      yield entry
    }
  }

  /** The furthest ahead. A line is at most as long as `maxNonceGap` and its sender's limit allow. */
  last(): Entry | undefined {
    let last: Entry | undefined
    for (const entry of this.#bySequence.values()) {
      if (last === undefined || entry.op.nonce > last.op.nonce) last = entry
    }
    return last
  }

  *entries(): Iterable<Entry> {
    yield* this.#bySequence.values()
  }
}
