/** Just enough of the WebAssembly binary format for a module of one function and one page of memory. */
const type = { i32: 0x7f, i64: 0x7e, void: 0x40, function: 0x60 } as const

/** Instructions, as lists of bytes. */
export const op = {
  get: (local: number) => [0x20, ...unsigned(local)],
  set: (local: number) => [0x21, ...unsigned(local)],
  i32Constant: (value: number) => [0x41, ...signed(BigInt(value))],
  i32IsZero: [0x45],
  i32Subtract: [0x6b],
  i64Constant: (value: bigint) => [0x42, ...signed(value)],
  /** The address is on the stack. */
  i64Load: (offset: number) => [0x29, 3, ...unsigned(offset)],
  i64Store: (offset: number) => [0x37, 3, ...unsigned(offset)],
  i64Add: [0x7c],
  i64Xor: [0x85],
  i64RotateRight: [0x8a],
  /** A jump to `level` 0 leaves it, as does its end. */
  block: (body: readonly number[]) => [0x02, type.void, ...body, 0x0b],
  /** A jump to `level` 0 starts it again. */
  loop: (body: readonly number[]) => [0x03, type.void, ...body, 0x0b],
  jump: (level: number) => [0x0c, ...unsigned(level)],
  jumpIf: (level: number) => [0x0d, ...unsigned(level)],
}

/** A function of one i32, local 0, and of locals of type i64 that follow it; and the page that it works on. */
export type WasmFunction = { readonly run: (argument: number) => void; readonly memory: ArrayBuffer }

export function compileFunction(i64Locals: number, body: readonly number[]): WasmFunction {
  const code = [1, ...unsigned(i64Locals), type.i64, ...body, 0x0b]
  const bytes = [
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, type.function, 1, type.i32, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 1, 1, 1]),
    ...section(7, [2, ...name('run'), 0, 0, ...name('memory'), 2, 0]),
    ...section(10, [1, ...unsigned(code.length), ...code]),
  ]
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(bytes)))
  const { run, memory } = exports as { run: (argument: number) => void; memory: WebAssembly.Memory }
  return { run, memory: memory.buffer }
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content]
}

function name(text: string): number[] {
  return [text.length, ...new TextEncoder().encode(text)]
}

/** LEB128 */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}

function signed(value: bigint): number[] {
  const low = Number(BigInt.asUintN(7, value))
  const rest = value >> 7n
  const isLast = (rest === 0n && low < 0x40) || (rest === -1n && low >= 0x40)
  return isLast ? [low] : [low | 0x80, ...signed(rest)]
}
