import { admit } from './interpret.ts'
import { stackLimit } from './limits.ts'
import type { Observer } from './observer.ts'
import type { Entry, Table } from './opcodes/table.ts'

/** The table with the opcodes that somebody watches wrapped: the interpreter does not know of observers. */
export function watched(table: Table, { before, step }: Observer): Table {
  if (step !== undefined) {
    return table.map((entry, opcode) => {
      const watcher = before?.get(opcode)
      return watchedEntry(entry, opcode, watcher === undefined ? [step] : [step, watcher])
    })
  }
  if (before === undefined) return table
  const result = [...table]
  for (const [opcode, watcher] of before) {
    const entry = table[opcode]
    if (entry !== undefined) result[opcode] = watchedEntry(entry, opcode, [watcher])
  }
  return result
}

/** Needs nothing itself, so that watchers are told before the opcode can fail. */
function watchedEntry(
  entry: Entry,
  opcode: number,
  watchers: readonly NonNullable<Observer['step']>[],
): Entry {
  return {
    gas: 0,
    pops: 0,
    room: stackLimit,
    run(frame) {
      for (const watcher of watchers) watcher(frame, opcode)
      admit(frame, entry)
      entry.run(frame)
    },
  }
}
