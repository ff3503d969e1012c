import { readWord, type Word, writeWord } from '../word.ts'

/** The 32 bytes at `offset`, which must be there. */
export function wordAt(bytes: Uint8Array, offset = 0): Word {
  return readWord(new DataView(bytes.buffer, bytes.byteOffset + offset, 32), 0)
}

export function bytesOfWord(word: Word): Uint8Array {
  const bytes = new Uint8Array(32)
  writeWord(new DataView(bytes.buffer), 0, word)
  return bytes
}

/** Any number of bytes, big-endian. */
export function integerOf(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${bytes.toHex()}`)
}

/** `size` bytes, big-endian; `value` must fit. */
export function bytesOfInteger(value: bigint, size: number): Uint8Array {
  return size === 0 ? new Uint8Array(0) : Uint8Array.fromHex(value.toString(16).padStart(2 * size, '0'))
}

/** `size` bytes from `offset`; zeros stand for what is beyond the end. Without a copy where all of it is there. */
export function padded(bytes: Uint8Array, offset: number, size: number): Uint8Array {
  const there = bytes.subarray(offset, offset + size)
  if (there.length === size) return there
  const whole = new Uint8Array(size)
  whole.set(there)
  return whole
}

export function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0)
}
