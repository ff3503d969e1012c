import { wordMask } from '../../../src/evm/word.ts'
import type { Random } from '../../support/random.ts'

export function pick<Item>(source: Random, items: readonly Item[]): Item {
  const item = items[source.int(items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

export function weighted<Item>(
  source: Random,
  items: readonly (readonly [weight: number, item: Item])[],
): Item {
  const total = items.reduce((sum, [weight]) => sum + weight, 0)
  let left = (source.int(1_000_000) / 1_000_000) * total
  for (const [weight, item] of items) {
    left -= weight
    if (left < 0) return item
  }
  throw new Error('nothing to choose from')
}

const edges = [
  0n,
  1n,
  2n,
  31n,
  32n,
  255n,
  256n,
  2n ** 64n,
  2n ** 128n - 1n,
  2n ** 255n - 1n,
  2n ** 255n,
  wordMask,
]

/** A word: at an edge, near one, small, or any. */
export function edgeValue(source: Random): bigint {
  const kind = source.int(10)
  if (kind < 4) return BigInt(source.int(300))
  if (kind < 6) return pick(source, edges)
  if (kind < 7) return (pick(source, edges) + BigInt(source.int(5)) - 2n) & wordMask
  if (kind < 8) return (wordMask - BigInt(source.int(300))) & wordMask
  return source.uint(256) & wordMask
}
