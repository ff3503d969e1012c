import { addressMask, type Word } from '../word.ts'
import { type Keccak256, loadKeccak256 } from './keccak256.ts'
import { loadRecoverPublicKey } from './secp256k1.ts'

/** Synchronous once loaded. It has memory that its functions share: never hand it to another thread. */
export type Crypto = {
  readonly keccak256: Keccak256
  /** Whose signature r ‖ s is, of the 32 bytes of `digest`. `undefined`: nobody's. High s is valid. */
  readonly recoverAddress: (digest: Uint8Array, signature: Uint8Array, yParity: 0 | 1) => Word | undefined
}

/** Once a thread, at its start: compiles and starts the wasm modules. */
export async function loadCrypto(): Promise<Crypto> {
  const [keccak256, recoverPublicKey] = await Promise.all([loadKeccak256(), loadRecoverPublicKey()])
  return {
    keccak256,
    recoverAddress(digest, signature, yParity) {
      const key = recoverPublicKey(digest, signature, yParity)
      return key === undefined ? undefined : keccak256(key) & addressMask
    },
  }
}
