/** ms between looks */
const interval = 5_000
/**
 * ms without a word from a thread that has work. Nothing that one does at a stretch takes a quarter of it; with the
 * looks before and behind it is less than the 30 s after which callers give a job up, which would not be tried again.
 */
const mostSilence = 15_000

/** The other side of a link, as far as it shows whether it lives. */
export type Watched = {
  readonly inFlight: number
  /** ms on the clock of `now`: when it was heard of last */
  readonly heardAt: number
  /** Has it say something. */
  ping(): void
}

export type Watchdog = {
  /** One look; happens by itself too. */
  look(): void
  stop(): void
}

/** Tells once that a thread with work is silent: it hangs, in a loop that has no end. */
export function createWatchdog(
  watched: Watched,
  { onSilence, now = () => performance.now() }: { onSilence: () => void; now?: () => number },
): Watchdog {
  const timer = setInterval(look, interval)
  timer.unref()
  let askedAt: number | undefined
  return { look, stop: () => clearInterval(timer) }

  /** Silence counts from the first question that got no answer: who had no work had nothing to say. */
  function look(): void {
    if (askedAt !== undefined && watched.heardAt >= askedAt) askedAt = undefined
    if (askedAt !== undefined && now() - askedAt > mostSilence) {
      clearInterval(timer)
      onSilence()
      return
    }
    if (askedAt !== undefined || watched.inFlight === 0) return
    askedAt = now()
    watched.ping()
  }
}
