import { g1Size, type Mcl, type Pointer } from './mcl.ts'

/** Bits of a scalar that one addition takes care of: 43 additions and 390 KB; with 8 it would be 32, and 1.2 MB. */
const windowBits = 6
const digits = 2 ** windowBits
const windows = Math.ceil(256 / windowBits)

/** Writes scalar · G, not normalized; the scalar is 32 bytes, big-endian. */
export type MultiplyBase = (result: Pointer, scalar: Uint8Array) => void

/**
 * Multiples of the curve's base point from a table of them, three times as fast as a multiplication. It makes as many
 * additions whatever the scalar is. The table takes some 10 ms.
 */
export function loadMultiplyBase({ native, allocate }: Pick<Mcl, 'native' | 'allocate'>): MultiplyBase {
  const table = allocate(windows * (digits - 1) * g1Size)
  const entry = (window: number, digit: number): Pointer =>
    table + (window * (digits - 1) + digit - 1) * g1Size
  const unit = allocate(g1Size)
  const zero = allocate(g1Size)
  const spare = allocate(g1Size)
  native.mclBnG1_clear(zero)
  native.mclBnG1_getBasePoint(unit)
  for (let window = 0; window < windows; window++) {
    native.mclBnG1_add(entry(window, 1), zero, unit)
    for (let digit = 2; digit < digits; digit++)
      native.mclBnG1_add(entry(window, digit), entry(window, digit - 1), unit)
    native.mclBnG1_add(unit, entry(window, digits - 1), unit)
    native.mclBnG1_normalize(unit, unit)
  }
  native.mclBnG1_normalizeVec(table, table, windows * (digits - 1))

  return (result, scalar) => {
    native.mclBnG1_clear(result)
    native.mclBnG1_getBasePoint(spare)
    for (let window = 0; window < windows; window++) {
      const digit = digitOf(scalar, window)
      if (digit === 0) native.mclBnG1_add(spare, spare, entry(window, 1))
      else native.mclBnG1_add(result, result, entry(window, digit))
    }
  }
}

/** The lowest window first. */
function digitOf(scalar: Uint8Array, window: number): number {
  const bit = window * windowBits
  const last = scalar.length - 1 - (bit >> 3)
  const twoBytes = ((scalar[last - 1] ?? 0) << 8) | (scalar[last] ?? 0)
  return (twoBytes >> (bit & 7)) & (digits - 1)
}
