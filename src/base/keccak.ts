import { createKeccak, type IHasher } from 'hash-wasm'
import { type Hash, type Hex, keccak256 as inJavaScript } from 'viem'

/** Reused: one hash at a time is all that a thread can do. Compiled in a few ms, while the thread starts. */
let compiled: IHasher | undefined
void createKeccak(256).then((hasher) => {
  compiled = hasher
})

/** keccak-256, several times as fast as viem's, which stands in for the first few ms of a thread. */
export function keccak256(bytes: Hex): Hash {
  if (compiled === undefined) return inJavaScript(bytes)
  return `0x${compiled
    .init()
    .update(Uint8Array.fromHex(bytes.slice(2)))
    .digest('binary')
    .toHex()}`
}
