import { operations } from '../../src/evm/opcodes/table.ts'

const opcodes = new Map(operations.map(({ name, opcode }) => [name, opcode]))

/** Opcodes by name, numbers as the shortest PUSH, bytes as they are. */
export function code(...parts: readonly (string | number | bigint | Uint8Array)[]): Uint8Array {
  return Uint8Array.from(parts.flatMap(bytesOfPart))
}

function bytesOfPart(part: string | number | bigint | Uint8Array): number[] {
  if (part instanceof Uint8Array) return [...part]
  if (typeof part !== 'string') return push(BigInt(part))
  const opcode = opcodes.get(part)
  if (opcode === undefined) throw new Error(`no opcode ${part}`)
  return [opcode]
}

function push(value: bigint): number[] {
  const digits = value === 0n ? '' : value.toString(16)
  const bytes = Uint8Array.fromHex(digits.padStart(digits.length + (digits.length % 2), '0'))
  return [0x5f + bytes.length, ...bytes]
}

/** Ends code with RETURN of what is on top of the stack. */
export const returnTop: readonly (string | number)[] = [0, 'MSTORE', 32, 0, 'RETURN']

/** Init code that deploys `runtime`. */
export function deploying(runtime: Uint8Array): Uint8Array {
  const prefix = (start: number) => code(runtime.length, start, 0, 'CODECOPY', runtime.length, 0, 'RETURN')
  return Uint8Array.from([...prefix(prefix(0xff).length), ...runtime])
}

/** Puts up to 32 bytes at the start of memory. */
export function storing(bytes: Uint8Array): Uint8Array {
  const word = BigInt(`0x${bytes.toHex().padEnd(64, '0')}`)
  return code(word, 0, 'MSTORE')
}
