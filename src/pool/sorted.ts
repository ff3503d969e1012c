/**
 * A set in order: insert, delete and ends in O(log n), iteration in order from the greatest. A treap, whose
 * priorities come from a seeded generator so that runs are repeatable.
 */
export class Sorted<T> {
  #root: Node<T> | undefined
  #seed = 0x9e3779b9

  /** @param compare a total order: only one and the same item compares as 0 */
  constructor(readonly compare: (a: T, b: T) => number) {}

  insert(item: T): void {
    const [less, greater] = this.#split(this.#root, item)
    const node = { item, priority: this.#random(), left: undefined, right: undefined }
    this.#root = merge(merge(less, node), greater)
  }

  delete(item: T): void {
    this.#root = this.#without(this.#root, item)
  }

  least(): T | undefined {
    let node = this.#root
    while (node?.left !== undefined) node = node.left
    return node?.item
  }

  /** From the greatest down. The set must not change meanwhile. */
  *descending(): Generator<T> {
    const path: Node<T>[] = []
    let node = this.#root
    while (node !== undefined || path.length > 0) {
      for (; node !== undefined; node = node.right) path.push(node)
      const next = path.pop()
      if (next === undefined) return
      yield next.item
      node = next.left
    }
  }

  /** Items less than `item`, and the others. */
  #split(node: Node<T> | undefined, item: T): [Node<T> | undefined, Node<T> | undefined] {
    if (node === undefined) return [undefined, undefined]
    if (this.compare(node.item, item) < 0) {
      const [less, greater] = this.#split(node.right, item)
      node.right = less
      return [node, greater]
    }
    const [less, greater] = this.#split(node.left, item)
    node.left = greater
    return [less, node]
  }

  #without(node: Node<T> | undefined, item: T): Node<T> | undefined {
    if (node === undefined) return undefined
    const order = this.compare(item, node.item)
    if (order === 0) return merge(node.left, node.right)
    if (order < 0) node.left = this.#without(node.left, item)
    else node.right = this.#without(node.right, item)
    return node
  }

  /** xorshift32 */
  #random(): number {
    this.#seed ^= this.#seed << 13
    this.#seed ^= this.#seed >>> 17
    this.#seed ^= this.#seed << 5
    return this.#seed >>> 0
  }
}

type Node<T> = { item: T; priority: number; left: Node<T> | undefined; right: Node<T> | undefined }

/** Every item of `less` is before every one of `greater`. */
function merge<T>(less: Node<T> | undefined, greater: Node<T> | undefined): Node<T> | undefined {
  if (less === undefined) return greater
  if (greater === undefined) return less
  if (less.priority > greater.priority) {
    less.right = merge(less.right, greater)
    return less
  }
  greater.left = merge(less, greater.left)
  return greater
}
