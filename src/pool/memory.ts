/** A map that forgets its oldest keys beyond `limit`. */
export type Memory<Key, Value> = {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  delete(key: Key): void
}

export function createMemory<Key, Value>(limit: number): Memory<Key, Value> {
  const values = new Map<Key, Value>()
  return {
    get: (key) => values.get(key),
    delete: (key) => values.delete(key),
    set(key, value) {
      values.delete(key)
      values.set(key, value)
      if (values.size <= limit) return
      for (const oldest of values.keys()) {
        values.delete(oldest)
        return
      }
    },
  }
}
