import type { Hardfork } from '../hardfork.ts'
import type { Word } from '../word.ts'

/** blob gas a blob (EIP-4844) */
const gasPerBlob = 131_072n
/** The first byte of a hash of a KZG commitment. */
const kzgVersion = 1n

/** Blobs of a transaction: those of a block (EIP-4844, EIP-7691), and fewer since EIP-7594. */
export const mostBlobs: Record<Hardfork, number> = { shanghai: 0, cancun: 6, prague: 9, osaka: 6 }

export const blobGas = (hashes: readonly Word[]): bigint => gasPerBlob * BigInt(hashes.length)

export const hasKnownVersion = (hash: Word): boolean => hash >> 248n === kzgVersion
