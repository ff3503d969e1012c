import { createHash, randomBytes } from 'node:crypto'
import type { Hex } from 'viem'

/** What the text of every key begins with, so that people and secret scanners recognise it. */
const prefix = 'tandem_'
/** bytes of randomness: nothing to guess, so that one fast hash is enough to keep a key by */
const entropy = 32
/** Characters that are kept to tell keys apart: too few to help anyone. */
const hintLength = prefix.length + 4

/** A new key: its text, which is shown once, and what is kept of it. */
export function createApiKey(): { text: string; hash: Hex; hint: string } {
  const text = prefix + randomBytes(entropy).toString('base64url')
  return { text, hash: hashApiKey(text), hint: text.slice(0, hintLength) }
}

/** SHA-256: what keys are looked up by, so that no comparison tells how much of a guess was right. */
export function hashApiKey(text: string): Hex {
  return `0x${createHash('sha256').update(text).digest('hex')}`
}
