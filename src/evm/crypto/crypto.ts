import { once } from '../../base/once.ts'
import { addressMask, type Word } from '../word.ts'
import { type Blake2f, loadBlake2f } from './blake2f.ts'
import { type Keccak256, loadKeccak256 } from './keccak256.ts'
import { kzgVerifier, type VerifyKzgProof } from './kzg.ts'
import { loadVerifyP256, type VerifyP256 } from './p256.ts'
import { loadPairingCurve, type PairingCurve } from './pairing-curve.ts'
import { loadRecoverPublicKey } from './secp256k1.ts'

/** Synchronous once loaded. It has memory that its functions share: never hand it to another thread. */
export type Crypto = {
  readonly keccak256: Keccak256
  /** Whose signature r ‖ s is, of the 32 bytes of `digest`. `undefined`: nobody's. High s is valid. */
  readonly recoverAddress: (digest: Uint8Array, signature: Uint8Array, yParity: 0 | 1) => Word | undefined
  readonly verifyP256: VerifyP256
  readonly blake2f: Blake2f
  readonly bn254: () => PairingCurve
  readonly bls12381: () => PairingCurve
  readonly verifyKzgProof: VerifyKzgProof
}

/** Once a thread, at its start. What operations seldom call is started when they do: curves, and what is built on them. */
export async function loadCrypto(): Promise<Crypto> {
  const keccak256 = await loadKeccak256()
  const recoverPublicKey = loadRecoverPublicKey()
  const verifyP256 = once(loadVerifyP256)
  const blake2f = once(loadBlake2f)
  const bls12381 = once(() => loadPairingCurve('bls12-381'))
  const verifyKzgProof = once(() => kzgVerifier(bls12381()))
  return {
    keccak256,
    recoverAddress(digest, signature, yParity) {
      const key = recoverPublicKey(digest, signature, yParity)
      return key === undefined ? undefined : keccak256(key) & addressMask
    },
    verifyP256: (...signed) => verifyP256()(...signed),
    blake2f: (...input) => blake2f()(...input),
    bn254: once(() => loadPairingCurve('bn254')),
    bls12381,
    verifyKzgProof: (...opening) => verifyKzgProof()(...opening),
  }
}
