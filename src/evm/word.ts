/** A 256-bit word, 0 ≤ word < 2^256. Addresses are words below 2^160, hashes are words too: no conversion inside. */
export type Word = bigint

export const wordMask = (1n << 256n) - 1n
export const addressMask = (1n << 160n) - 1n
