import { admit } from './interpret.ts'
import { stackLimit } from './limits.ts'
import type { Observer } from './observer.ts'
import type { Entry, Table } from './opcodes/table.ts'

/** The table with the opcodes that somebody watches wrapped: the interpreter does not know of observers. */
export function watched(table: Table, { before, step }: Observer): Table {
  if (step === undefined && before === undefined) return table
  return table.map((entry, opcode) => {
    const watchers = [step, before?.get(opcode)].filter((watcher) => watcher !== undefined)
    return watchers.length === 0 ? entry : watchedEntry(entry, opcode, watchers)
  })
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
