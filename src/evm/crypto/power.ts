/** Bits of the exponent taken at a time: a squaring a bit and a multiplication each 4 bits. */
const windowBits = 4

/** Up to this many bytes the table of powers costs more than it saves (exponents such as 3 and 65537). */
const smallExponent = 4

/** base^exponent mod modulus, the exponent being big-endian bytes; modulus > 0. */
export function power(base: bigint, exponent: Uint8Array, modulus: bigint): bigint {
  const start = exponent.findIndex((byte) => byte !== 0)
  if (start === -1) return 1n % modulus
  const digits = exponent.subarray(start)
  const reduced = base % modulus
  if (reduced <= 1n) return reduced % modulus
  return digits.length <= smallExponent
    ? bitByBit(reduced, digits, modulus)
    : byWindows(reduced, digits, modulus)
}

function bitByBit(base: bigint, exponent: Uint8Array, modulus: bigint): bigint {
  let result = 1n
  for (const byte of exponent) {
    for (let bit = 128; bit > 0; bit >>= 1) {
      if (result !== 1n) result = (result * result) % modulus
      if ((byte & bit) !== 0) result = (result * base) % modulus
    }
  }
  return result
}

function byWindows(base: bigint, exponent: Uint8Array, modulus: bigint): bigint {
  const powers = [1n]
  for (let size = 1; size < 1 << windowBits; size++) {
    powers.push(((powers[size - 1] ?? 1n) * base) % modulus)
  }
  let result = 1n
  for (const byte of exponent) {
    result = step(result, byte >> windowBits, powers, modulus)
    result = step(result, byte & ((1 << windowBits) - 1), powers, modulus)
  }
  return result
}

function step(result: bigint, digit: number, powers: readonly bigint[], modulus: bigint): bigint {
  let next = result
  for (let bit = 0; bit < windowBits; bit++) next = (next * next) % modulus
  return digit === 0 ? next : (next * (powers[digit] ?? 1n)) % modulus
}
