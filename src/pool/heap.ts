/** Gives back the first of what was put in, in the order of `compare`; O(log n) each. */
export type Heap<Item> = { push(item: Item): void; pop(): Item | undefined }

export function createHeap<Item>(compare: (a: Item, b: Item) => number): Heap<Item> {
  const items: Item[] = []
  const isBefore = (a: Item | undefined, b: Item | undefined): boolean =>
    a !== undefined && (b === undefined || compare(a, b) < 0)

  return {
    push(item) {
      let place = items.length
      for (let parent = (place - 1) >> 1; place > 0; parent = (place - 1) >> 1) {
        const above = items[parent]
        if (above === undefined || !isBefore(item, above)) break
        items[place] = above
        place = parent
      }
      items[place] = item
    },
    pop() {
      const [top] = items
      const item = items.pop()
      if (item !== undefined && items.length > 0) sink(item)
      return top
    },
  }

  function sink(item: Item): void {
    let place = 0
    for (;;) {
      const child = 2 * place + 1
      const smaller = isBefore(items[child + 1], items[child]) ? child + 1 : child
      const below = items[smaller]
      if (below === undefined || !isBefore(below, item)) break
      items[place] = below
      place = smaller
    }
    items[place] = item
  }
}
