/** A 256-bit word, 0 ≤ word < 2^256. Addresses are words below 2^160, hashes are words too: no conversion inside. */
export type Word = bigint

export const wordMask = (1n << 256n) - 1n
export const addressMask = (1n << 160n) - 1n

/** keccak-256 of no bytes: the code hash of an account without code */
export const emptyCodeHash = 0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470n
