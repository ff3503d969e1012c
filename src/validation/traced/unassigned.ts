import { operations } from '../../evm/opcodes/table.ts'
import { opcodes } from '../rules/opcodes.ts'
import type { TraceFrame } from './trace.ts'

/** geth and those like it; revm for one that a hardfork to come assigns. */
const saysInvalid = /invalid opcode|not ?activated/i

/** INVALID is assigned to be invalid; what came after Shanghai the chain need not have. */
const everywhere: ReadonlySet<number> = new Set([
  opcodes.INVALID,
  ...operations.filter(({ since }) => since === 'shanghai').map(({ opcode }) => opcode),
])

/** Opcodes that ended a frame because the chain does not assign them. */
export function unassignedIn({ opcodes: ran, error = '' }: TraceFrame): readonly number[] {
  return saysInvalid.test(error) ? [...ran.keys()].filter((opcode) => !everywhere.has(opcode)) : []
}
