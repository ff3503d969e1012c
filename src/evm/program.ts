import { type Word, wordOf } from './word.ts'

const push1 = 0x60
const push32 = 0x7f
const jumpDestination = 0x5b

/** Code and what is known about it. */
export type Program = {
  readonly bytes: Uint8Array
  /** 1 for each JUMPDEST that is not data of a PUSH */
  readonly jumpTargets: Uint8Array
  /** What the PUSH at a place pushes; filled as they run. */
  readonly constants: Map<number, Word>
}

/** Lives as long as the array that holds the code: sources hand out the same one for the same hash. */
const programs = new WeakMap<Uint8Array, Program>()

export function programOf(bytes: Uint8Array): Program {
  const known = programs.get(bytes)
  if (known !== undefined) return known
  const program = { bytes, jumpTargets: jumpTargetsOf(bytes), constants: new Map() }
  programs.set(bytes, program)
  return program
}

function jumpTargetsOf(bytes: Uint8Array): Uint8Array {
  const targets = new Uint8Array(bytes.length)
  for (let pc = 0; pc < bytes.length; pc += 1) {
    const opcode = bytes[pc] as number
    if (opcode === jumpDestination) targets[pc] = 1
    else if (opcode >= push1 && opcode <= push32) pc += opcode - push1 + 1
  }
  return targets
}

/** The `width` bytes behind the PUSH at `pc`; beyond the end of the code they are zeros. */
export function constantAt({ bytes, constants }: Program, pc: number, width: number): Word {
  const known = constants.get(pc)
  if (known !== undefined) return known
  const data = bytes.subarray(pc + 1, pc + 1 + width)
  const constant = wordOf(data) << BigInt(8 * (width - data.length))
  constants.set(pc, constant)
  return constant
}
