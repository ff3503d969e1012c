import type { Word } from '../../evm/word.ts'

/** Up to 32 bytes, big-endian. */
export function wordOf(bytes: Uint8Array): Word {
  let word = 0n
  for (const byte of bytes) word = (word << 8n) | BigInt(byte)
  return word
}
