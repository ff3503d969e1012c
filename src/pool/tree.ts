/**
 * Items in order, as a weight-balanced tree (Adams): insert and remove in O(log n), and each branch carries a summary
 * of what is below it. Trees are never changed, so an iteration is not disturbed by what happens meanwhile.
 */
export type Tree<Item, Summary> = Branch<Item, Summary> | undefined

type Branch<Item, Summary> = {
  readonly item: Item
  readonly left: Tree<Item, Summary>
  readonly right: Tree<Item, Summary>
  readonly size: number
  readonly summary: Summary
}

export type Order<Item, Summary> = {
  /** Total: only one and the same item compares as 0. */
  compare(a: Item, b: Item): number
  summarize(item: Item, left: Summary | undefined, right: Summary | undefined): Summary
}

export function insert<I, S>(order: Order<I, S>, tree: Tree<I, S>, item: I): Tree<I, S> {
  if (tree === undefined) return branch(order, item, undefined, undefined)
  const place = order.compare(item, tree.item)
  if (place === 0) return branch(order, item, tree.left, tree.right)
  return place < 0
    ? balanced(order, tree.item, insert(order, tree.left, item), tree.right)
    : balanced(order, tree.item, tree.left, insert(order, tree.right, item))
}

export function remove<I, S>(order: Order<I, S>, tree: Tree<I, S>, item: I): Tree<I, S> {
  if (tree === undefined) return undefined
  const place = order.compare(item, tree.item)
  if (place === 0) return joined(order, tree.left, tree.right)
  return place < 0
    ? balanced(order, tree.item, remove(order, tree.left, item), tree.right)
    : balanced(order, tree.item, tree.left, remove(order, tree.right, item))
}

export function first<I, S>(tree: Tree<I, S>): I | undefined {
  let node = tree
  while (node?.left !== undefined) node = node.left
  return node?.item
}

export function last<I, S>(tree: Tree<I, S>): I | undefined {
  let node = tree
  while (node?.right !== undefined) node = node.right
  return node?.item
}

/** First to last. */
export function* ascending<I, S>(tree: Tree<I, S>): Generator<I> {
  const path: Branch<I, S>[] = []
  let node = tree
  while (node !== undefined || path.length > 0) {
    for (; node !== undefined; node = node.left) path.push(node)
    const next = path.pop()
    if (next === undefined) return
    yield next.item
    node = next.right
  }
}

const sizeOf = <I, S>(tree: Tree<I, S>): number => tree?.size ?? 0

/** One side may be this many times as large as the other, and its inner half this many times the outer one. */
const [delta, gamma] = [3, 2]

function branch<I, S>(order: Order<I, S>, item: I, left: Tree<I, S>, right: Tree<I, S>): Branch<I, S> {
  const summary = order.summarize(item, left?.summary, right?.summary)
  return { item, left, right, size: sizeOf(left) + sizeOf(right) + 1, summary }
}

function balanced<I, S>(order: Order<I, S>, item: I, left: Tree<I, S>, right: Tree<I, S>): Branch<I, S> {
  const [lefts, rights] = [sizeOf(left), sizeOf(right)]
  if (lefts + rights > 1) {
    if (right !== undefined && rights > delta * lefts) return leftward(order, item, left, right)
    if (left !== undefined && lefts > delta * rights) return rightward(order, item, left, right)
  }
  return branch(order, item, left, right)
}

function leftward<I, S>(order: Order<I, S>, item: I, left: Tree<I, S>, right: Branch<I, S>): Branch<I, S> {
  const inner = right.left
  if (inner === undefined || inner.size < gamma * sizeOf(right.right)) {
    return branch(order, right.item, branch(order, item, left, inner), right.right)
  }
  const outer = branch(order, right.item, inner.right, right.right)
  return branch(order, inner.item, branch(order, item, left, inner.left), outer)
}

function rightward<I, S>(order: Order<I, S>, item: I, left: Branch<I, S>, right: Tree<I, S>): Branch<I, S> {
  const inner = left.right
  if (inner === undefined || inner.size < gamma * sizeOf(left.left)) {
    return branch(order, left.item, left.left, branch(order, item, inner, right))
  }
  const outer = branch(order, left.item, left.left, inner.left)
  return branch(order, inner.item, outer, branch(order, item, inner.right, right))
}

/** Both sides of an item that left. */
function joined<I, S>(order: Order<I, S>, left: Tree<I, S>, right: Tree<I, S>): Tree<I, S> {
  const middle = first(right)
  if (middle === undefined) return left
  return balanced(order, middle, left, remove(order, right, middle))
}
