import type { Address, Hex } from 'viem'
import type { Word } from '../../evm/word.ts'

/** 20 bytes, lower case */
export const addressHex = (address: Word): Address => `0x${address.toString(16).padStart(40, '0')}`

/** 32 bytes, lower case */
export const wordHex = (word: Word): Hex => `0x${word.toString(16).padStart(64, '0')}`

/** Of an even number of digits behind `0x`. */
export const bytesOfHex = (hex: Hex): Uint8Array => Uint8Array.fromHex(hex.slice(2))

export const hexOfBytes = (bytes: Uint8Array): Hex => `0x${bytes.toHex()}`
