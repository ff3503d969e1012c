import { expect, test } from 'bun:test'
import { ascending, first, insert, last, type Order, remove, type Tree } from '../../../src/pool/tree.ts'
import { random } from '../../support/random.ts'

/** Summaries are sums, which are easy to check. */
const order: Order<number, number> = {
  compare: (a, b) => a - b,
  summarize: (item, left = 0, right = 0) => item + left + right,
}
const of = (items: readonly number[]) =>
  items.reduce<Tree<number, number>>((tree, item) => insert(order, tree, item), undefined)

function depth(tree: Tree<number, number>): number {
  return tree === undefined ? 0 : 1 + Math.max(depth(tree.left), depth(tree.right))
}

test('holds items in order, each once', () => {
  const tree = of([5, 1, 4, 1, 3])
  expect([...ascending(tree)]).toEqual([1, 3, 4, 5])
  expect([first(tree), last(tree), tree?.size, tree?.summary]).toEqual([1, 5, 4, 13])
})

test('an empty one has nothing', () => {
  expect([first(undefined), last(undefined), ...ascending(undefined)]).toEqual([undefined, undefined])
  expect(remove(order, undefined, 1)).toBeUndefined()
})

test('removing what is not there changes nothing', () => {
  expect([...ascending(remove(order, of([1, 3]), 2))]).toEqual([1, 3])
})

test('an iteration is not disturbed by changes', () => {
  const tree = of([1, 2, 3])
  const items: number[] = []
  for (const item of ascending(tree)) {
    remove(order, tree, item)
    items.push(item)
  }
  expect(items).toEqual([1, 2, 3])
})

test.each([
  ['ascending', (index: number) => index],
  ['descending', (index: number) => -index],
  ['alternating', (index: number) => (index % 2 === 0 ? index : -index)],
])('stays shallow when items come %s', (_, item) => {
  const tree = of(Array.from({ length: 4096 }, (_, index) => item(index)))
  expect(depth(tree)).toBeLessThan(24)
})

test('agrees with a sorted list through thousands of random changes', () => {
  const source = random(1)
  const expected = new Set<number>()
  let tree: Tree<number, number>
  for (let step = 0; step < 5000; step++) {
    const item = source.int(500)
    if (source.chance(0.55)) {
      expected.add(item)
      tree = insert(order, tree, item)
    } else {
      expected.delete(item)
      tree = remove(order, tree, item)
    }
    if (step % 100 > 0) continue
    expect([...ascending(tree)]).toEqual([...expected].sort((a, b) => a - b))
    expect(tree?.summary ?? 0).toBe([...expected].reduce((sum, value) => sum + value, 0))
    expect(depth(tree)).toBeLessThan(20)
  }
})
