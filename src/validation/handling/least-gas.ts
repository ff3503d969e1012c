import type { FrameView } from '../../evm/observer.ts'

/** EIP-2200: a frame with no more than this left cannot store. */
const sstoreSentry = 2_300
/** What a call that pays value gets on top of what its caller gives. */
const callStipend = 2_300

/** EIP-150: the least that must be at hand for a call to get `gas`, as 1/64 of it stays behind. */
const atHandFor = (gas: number): number => gas + Math.max(0, Math.floor((gas - 1) / 63))

type Running = {
  readonly frame: FrameView
  /** gas that it began with */
  readonly start: number
  /** gas that its caller had used when it called, the call itself included */
  readonly before: number
  least: number
}

/**
 * The least gas with which each frame of a run would have gone the same way: more than it used where a call inside
 * needs its gas to be at hand (63/64), or a store does. Code that looks at its gas may still go another way.
 */
export class LeastGas {
  readonly #running: Running[] = []

  enter(frame: FrameView): void {
    const caller = this.#running.at(-1)
    const given = frame.gas - stipendOf(frame)
    const before = caller === undefined ? 0 : caller.start - (caller.frame.gas + given)
    this.#running.push({ frame, start: frame.gas, before, least: 0 })
  }

  /** Before SSTORE. */
  store({ gas }: FrameView): void {
    const running = this.#running.at(-1)
    if (running === undefined) return
    running.least = Math.max(running.least, running.start - gas + sstoreSentry + 1)
  }

  /** @returns gas, for the frame that ends */
  leave(frame: FrameView, gasUsed: number): number {
    const ended = this.#running.pop()
    const least = Math.max(ended?.least ?? 0, gasUsed)
    const caller = this.#running.at(-1)
    if (ended !== undefined && caller !== undefined) {
      const given = Math.max(0, least - stipendOf(frame))
      caller.least = Math.max(caller.least, ended.before + atHandFor(given))
    }
    return least
  }
}

function stipendOf({ kind, value }: FrameView): number {
  return value !== 0n && (kind === 'call' || kind === 'callcode') ? callStipend : 0
}
