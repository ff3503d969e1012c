import type { ChainWatch } from './chain-watch.ts'
import { median, quantile } from './statistics.ts'
import { inclusionsOf, type Send } from './traffic.ts'

/** Blocks from sending to inclusion: 1 is the next block. */
export type Waits = { median: number; p99: number; most: number }

/** How long the valid operations among `sends` waited, in blocks, since blocks do not depend on the machine. */
export function waitsOf(sends: readonly Send[], { included }: Pick<ChainWatch, 'included'>): Waits {
  const waits = sends
    .filter(({ kind }) => kind === 'valid')
    .flatMap((send) => inclusionsOf(send, included).map(({ block }) => block - send.head))
  return { median: median(waits), p99: quantile(waits, 0.99), most: Math.max(...waits) }
}
