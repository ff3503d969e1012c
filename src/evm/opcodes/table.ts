import type { ChainRules } from '../environment.ts'
import { halt } from '../halt.ts'
import { type Hardfork, isActive } from '../hardfork.ts'
import { stackLimit } from '../limits.ts'
import { Unsupported } from '../outcome.ts'
import { accounts } from './accounts.ts'
import { arithmetic } from './arithmetic.ts'
import { block } from './block.ts'
import { calls } from './calls.ts'
import { comparison } from './comparison.ts'
import { creates } from './creates.ts'
import { data } from './data.ts'
import { flow } from './flow.ts'
import { logs } from './logs.ts'
import { memory } from './memory.ts'
import type { Handler, Operation } from './operation.ts'
import { stack } from './stack.ts'
import { storage } from './storage.ts'

/** Every opcode of every hardfork; see the files of the families. */
export const operations: readonly Operation[] = [
  ...arithmetic,
  ...comparison,
  ...data,
  ...accounts,
  ...block,
  ...memory,
  ...storage,
  ...flow,
  ...stack,
  ...logs,
  ...calls,
  ...creates,
]

/** What the interpreter needs to know about an opcode. */
export type Entry = {
  readonly gas: number
  /** Stack items that it needs. */
  readonly pops: number
  /** Most stack items that there may be, so that there is room for what it pushes. */
  readonly room: number
  readonly run: Handler
}

/** 256 entries, by opcode. */
export type Table = readonly Entry[]

const tables = new Map<string, Table>()

export function tableOf({
  hardfork,
  unknownOpcodes,
}: Pick<ChainRules, 'hardfork' | 'unknownOpcodes'>): Table {
  const key = `${hardfork} ${unknownOpcodes}`
  const known = tables.get(key)
  if (known !== undefined) return known
  const table = buildTable(hardfork, unknownOpcodes)
  tables.set(key, table)
  return table
}

function buildTable(hardfork: Hardfork, unknownOpcodes: ChainRules['unknownOpcodes']): Table {
  const table: Entry[] = Array.from({ length: 256 }, (_, opcode) => unknown(opcode, unknownOpcodes))
  for (const { opcode, gas, pops, pushes, run, since } of operations) {
    if (isActive(since, hardfork)) table[opcode] = { gas, pops, room: stackLimit - (pushes - pops), run }
  }
  return table
}

function unknown(opcode: number, meaning: ChainRules['unknownOpcodes']): Entry {
  const run: Handler = () => {
    if (meaning === 'unsupported') throw new Unsupported(`opcode 0x${opcode.toString(16)}`)
    halt('invalid-opcode')
  }
  return { gas: 0, pops: 0, room: stackLimit, run }
}
