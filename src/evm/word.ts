/** A 256-bit word, 0 ≤ word < 2^256. Addresses are words below 2^160, hashes are words too: no conversion inside. */
export type Word = bigint

export const wordMask = (1n << 256n) - 1n
export const addressMask = (1n << 160n) - 1n

/** keccak-256 of no bytes: the code hash of an account without code */
export const emptyCodeHash = 0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470n

/** Modulo 2^256; of a negative number its two's complement. */
export const wrap = (value: bigint): Word => BigInt.asUintN(256, value)

/** The word as a number in two's complement. */
export const signed = (word: Word): bigint => BigInt.asIntN(256, word)

/** The 32 bytes at `offset`, which the view must have. */
export function readWord(view: DataView, offset: number): Word {
  return (
    (view.getBigUint64(offset) << 192n) |
    (view.getBigUint64(offset + 8) << 128n) |
    (view.getBigUint64(offset + 16) << 64n) |
    view.getBigUint64(offset + 24)
  )
}

/** Writes 32 bytes at `offset`, which the view must have. Each limb is cut to its 64 bits by the view. */
export function writeWord(view: DataView, offset: number, word: Word): void {
  view.setBigUint64(offset, word >> 192n)
  view.setBigUint64(offset + 8, word >> 128n)
  view.setBigUint64(offset + 16, word >> 64n)
  view.setBigUint64(offset + 24, word)
}

/** Up to 32 bytes, big-endian. */
export function wordOf(bytes: Uint8Array): Word {
  return bytes.length === 0 ? 0n : BigInt(`0x${bytes.toHex()}`)
}

/** Its lowest `size` bytes, big-endian. */
export function bytesOf(word: Word, size: number): Uint8Array {
  const digits = word.toString(16).padStart(2 * size, '0')
  return Uint8Array.fromHex(digits.slice(digits.length - 2 * size))
}

/** How many bytes it has without leading zeros: 0 for zero. */
export function byteLength(word: Word): number {
  let size = 0
  for (let rest = word; rest !== 0n; rest >>= 8n) size += 1
  return size
}
