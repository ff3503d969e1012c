/** What was changed, so that it can be taken back. */
export type Journal = {
  /** Changes a field. */
  set<T, K extends keyof T>(target: T, key: K, value: T[K]): void
  /** For what is no field: how to take back what has just been done. */
  note(undo: () => void): void
  /** A mark to `revert` to. */
  mark(): number
  revert(mark: number): void
  /** Nothing before now can be taken back any more. */
  clear(): void
}

export function createJournal(): Journal {
  let undos: (() => void)[] = []
  return {
    set(target, key, value) {
      const previous = target[key]
      target[key] = value
      undos.push(() => {
        target[key] = previous
      })
    },
    note: (undo) => undos.push(undo),
    mark: () => undos.length,
    revert(mark) {
      while (undos.length > mark) undos.pop()?.()
    },
    clear() {
      undos = []
    },
  }
}
