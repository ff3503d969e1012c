import { expect, test } from 'bun:test'
import { createFeeIndex, type Direction } from '../../../src/pool/fee-index.ts'
import { type Held, hold } from '../../../src/pool/held.ts'
import { effectivePriorityFee } from '../../../src/types/userop-cost.ts'
import { candidate, hash, userOp } from '../../support/builders.ts'
import { type Random, random } from '../../support/random.ts'

/** Few different values, so that ties are common. */
function held(source: Random, arrival: number): Held {
  const maxFeePerGas = BigInt(source.int(40))
  const maxPriorityFeePerGas = BigInt(source.int(Number(maxFeePerGas) + 1))
  return hold(
    candidate(userOp({ maxFeePerGas, maxPriorityFeePerGas }), {
      hash: hash(arrival),
      receivedAt: source.int(5),
    }),
    { arrival, block: 0, now: 0 },
  )
}

function sorted(items: Iterable<Held>, baseFee: bigint, direction: Direction): Held[] {
  const feeOf = ({ op }: Held) => Number(effectivePriorityFee(op, baseFee))
  const best = [...items].sort(
    (a, b) => feeOf(b) - feeOf(a) || a.entry.receivedAt - b.entry.receivedAt || a.arrival - b.arrival,
  )
  return direction === 'best' ? best : best.reverse()
}

test.each(['best', 'worst'] as const)('searches %s first at any base fee, exactly', (direction) => {
  const source = random(7)
  const index = createFeeIndex(direction)
  const items = new Set<Held>()
  for (let arrival = 1; arrival <= 600; arrival++) {
    const item = held(source, arrival)
    items.add(item)
    index.add(item)
    const [oldest] = items
    if (source.chance(0.3) && oldest !== undefined) {
      items.delete(oldest)
      index.delete(oldest)
    }
    if (arrival % 20 > 0) continue
    const baseFee = BigInt(source.int(45))
    const search = index.search(baseFee)
    const found = Array.from(items, () => search.next()?.arrival)
    expect(found).toEqual(sorted(items, baseFee, direction).map((each) => each.arrival))
    expect(search.next()).toBeUndefined()
  }
})

test('what is pushed into a search takes its place in it', () => {
  const source = random(3)
  const index = createFeeIndex('best')
  const items = Array.from({ length: 20 }, (_, arrival) => held(source, arrival))
  for (const item of items.slice(1)) index.add(item)
  const search = index.search(5n)
  for (const item of items.slice(0, 1)) search.push(item)
  expect(items.map(() => search.next()?.arrival)).toEqual(
    sorted(items, 5n, 'best').map((each) => each.arrival),
  )
})
