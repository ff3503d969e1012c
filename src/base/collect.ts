/**
 * ms. The engine lets garbage lie the longer the more memory the machine has, and with it what native code holds for
 * it: a thread that makes little of it would grow by tens of MB in an hour. A collection takes about 20 ms.
 */
const interval = 60_000

/** Collects this thread's garbage every minute, until the function that it gives is called. */
export function collectRegularly(): () => void {
  const timer = setInterval(() => Bun.gc(true), interval).unref()
  return () => clearInterval(timer)
}
