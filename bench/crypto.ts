import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak256 } from 'viem'
import { type Crypto, loadCrypto } from '../src/evm/crypto/crypto.ts'
import type { PairingCurve } from '../src/evm/crypto/pairing-curve.ts'
import { type Pairing, pair, pairSlow } from './measure.ts'

const digest = new Uint8Array(32).fill(7)
const secretKey = new Uint8Array(32).fill(9)
const noble = '@noble/curves'

/** What the precompiles and KECCAK256 run on, beside the JavaScript libraries for the same. */
export async function benchmarkCrypto(): Promise<Pairing[]> {
  const crypto = await loadCrypto()
  const data = new Uint8Array(64).fill(1)
  const hash = pair(
    'keccak-256 of 64 bytes',
    () => crypto.keccak256(data),
    'viem, @noble/hashes',
    () => BigInt(keccak256(data)),
  )
  return [
    hash,
    pair('ecrecover', recovering(crypto), noble, recoveringTheirs()),
    pair('P256VERIFY', verifying(crypto), noble, verifyingTheirs()),
    await pairingOfTwo('BN254', crypto.bn254(), bn254),
    await pairingOfTwo('BLS12-381', crypto.bls12381(), bls12_381),
  ]
}

const options = { prehash: false, lowS: false } as const
const recoverable = secp256k1.sign(digest, secretKey, { ...options, format: 'recovered' })

function recovering({ recoverAddress }: Crypto): () => unknown {
  const yParity = recoverable[0] === 1 ? 1 : 0
  const signature = recoverable.subarray(1)
  return () => recoverAddress(digest, signature, yParity)
}

function recoveringTheirs(): () => unknown {
  return () => {
    const signature = secp256k1.Signature.fromBytes(recoverable, 'recovered')
    return keccak256(signature.recoverPublicKey(digest).toBytes(false).subarray(1))
  }
}

const p256Signature = p256.sign(digest, secretKey, options)
const p256Key = p256.getPublicKey(secretKey, false)

function verifying({ verifyP256 }: Crypto): () => unknown {
  const key = p256Key.subarray(1)
  return () => verifyP256(digest, p256Signature, key)
}

function verifyingTheirs(): () => unknown {
  return () => p256.verify(p256Signature, digest, p256Key, options)
}

/** A product of two pairings of points that are already read and checked. */
function pairingOfTwo(
  name: string,
  { mcl, g1, g2, product }: PairingCurve,
  theirs: typeof bn254 | typeof bls12_381,
): Promise<Pairing> {
  const width = name === 'BN254' ? 32 : 64
  const coordinates = (...values: bigint[]) =>
    Uint8Array.fromHex(values.map((value) => value.toString(16).padStart(2 * width, '0')).join(''))
  const [base1, base2] = [theirs.G1.Point.BASE, theirs.G2.Point.BASE]
  const [first, second] = [mcl.allocate(g1.size), mcl.allocate(g2.size)]
  g1.read(coordinates(base1.x, base1.y), first)
  const parts = name === 'BN254' ? (['c1', 'c0'] as const) : (['c0', 'c1'] as const)
  const ordered = [base2.x, base2.y].flatMap((element) => parts.map((part) => element[part]))
  if (!g2.read(coordinates(...ordered), second)) throw new Error(`${name}: the generator is no point`)
  return pairSlow(
    `${name}, two pairings`,
    async () => {
      const pairings = product()
      pairings.multiplyBy(first, second)
      pairings.multiplyBy(first, second)
      pairings.isOne()
    },
    noble,
    async () => {
      theirs.pairingBatch([
        { g1: base1, g2: base2 },
        { g1: base1, g2: base2 },
      ])
    },
  )
}
