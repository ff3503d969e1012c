import type { Word } from '../../evm/word.ts'

/** Code by its hash, for good: what was used least recently makes room. */
export type CodeCache = {
  get(codeHash: Word): Uint8Array | undefined
  put(codeHash: Word, code: Uint8Array): void
  /** What its code takes. */
  readonly bytes: number
}

/** @param options.capacity bytes; the newest code is kept even if it alone has more */
export function createCodeCache({ capacity }: { capacity: number }): CodeCache {
  /** The least recently used first. */
  const codes = new Map<Word, Uint8Array>()
  let bytes = 0
  return {
    get(codeHash) {
      const code = codes.get(codeHash)
      if (code === undefined) return undefined
      codes.delete(codeHash)
      codes.set(codeHash, code)
      return code
    },
    put(codeHash, code) {
      if (codes.has(codeHash)) return
      codes.set(codeHash, code)
      bytes += code.length
      for (const [oldest, { length }] of codes) {
        if (bytes <= capacity || oldest === codeHash) break
        codes.delete(oldest)
        bytes -= length
      }
    },
    get bytes() {
      return bytes
    },
  }
}
