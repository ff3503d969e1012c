import { createKeccak } from 'hash-wasm'
import type { Word } from '../word.ts'
import { wordAt } from './bytes.ts'

export type Keccak256 = (bytes: Uint8Array) => Word

/** The hasher is reused: one at a time, which is all that a thread can do. */
export async function loadKeccak256(): Promise<Keccak256> {
  const hasher = await createKeccak(256)
  return (bytes) => wordAt(hasher.init().update(bytes).digest('binary'))
}
