/** Assembles code with jumps to labels and with data behind it. Labels and data are known by their number. */
export type Assembler = {
  op(...opcodes: readonly number[]): void
  /** With as few bytes as it takes. */
  push(value: bigint | number): void
  label(): number
  pushLabel(label: number): void
  /** A JUMPDEST, which the label then means. */
  mark(label: number): void
  /** Pushes size and offset of `bytes`, which are put behind the code: the offset is on top. */
  pushData(bytes: Uint8Array): void
  assemble(): Uint8Array
}

type Patch = { readonly at: number; readonly target: () => number }

const push1 = 0x60
const push2 = 0x61
const jumpDest = 0x5b

export function assembler(): Assembler {
  const code: number[] = []
  const patches: Patch[] = []
  const marks: (number | undefined)[] = []
  const data: { bytes: Uint8Array; offset: number }[] = []

  function pushLater(target: () => number): void {
    patches.push({ at: code.length + 1, target })
    code.push(push2, 0, 0)
  }

  function push(value: bigint | number): void {
    const digits = value.toString(16)
    const isZero = digits === '0'
    const bytes = isZero ? [] : Uint8Array.fromHex(digits.padStart(digits.length + (digits.length & 1), '0'))
    code.push(push1 - 1 + bytes.length, ...bytes)
  }

  return {
    op: (...opcodes) => code.push(...opcodes),
    push,
    label: () => marks.push(undefined) - 1,
    pushLabel: (label) => pushLater(() => marks[label] ?? 0),
    mark(label) {
      marks[label] = code.length
      code.push(jumpDest)
    },
    pushData(bytes) {
      const place = { bytes, offset: 0 }
      data.push(place)
      push(bytes.length)
      pushLater(() => place.offset)
    },
    assemble() {
      const program = [...code]
      for (const place of data) {
        place.offset = program.length
        program.push(...place.bytes)
      }
      for (const { at, target } of patches) {
        const value = target()
        program[at] = value >> 8
        program[at + 1] = value & 0xff
      }
      return Uint8Array.from(program)
    },
  }
}
