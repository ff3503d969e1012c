import { once } from '../../base/once.ts'
import type { Crypto } from '../crypto/crypto.ts'
import { type Hardfork, hardforks, isActive } from '../hardfork.ts'
import type { Precompile, Precompiles } from '../precompile.ts'
import type { Word } from '../word.ts'
import { blake2f } from './blake2f.ts'
import { blsPairing, g1Add, g1Msm, g2Add, g2Msm, mapFp2ToG2, mapFpToG1 } from './bls12-381.ts'
import { bn254Add, bn254Multiply, bn254Pairing } from './bn254.ts'
import { ecrecover } from './ecrecover.ts'
import { identity } from './identity.ts'
import { modexp } from './modexp.ts'
import { p256Verify } from './p256-verify.ts'
import { pointEvaluation } from './point-evaluation.ts'
import { ripemd160 } from './ripemd160.ts'
import { sha256 } from './sha256.ts'

type Entry = readonly [address: Word, precompile: (crypto: Crypto) => Precompile]

/** What each hardfork adds or replaces. */
const added: Record<Hardfork, readonly Entry[]> = {
  shanghai: [
    [0x01n, ecrecover],
    [0x02n, () => sha256],
    [0x03n, () => ripemd160],
    [0x04n, () => identity],
    [0x05n, () => modexp.eip2565],
    [0x06n, bn254Add],
    [0x07n, bn254Multiply],
    [0x08n, bn254Pairing],
    [0x09n, blake2f],
  ],
  cancun: [[0x0an, pointEvaluation]],
  prague: [
    [0x0bn, g1Add],
    [0x0cn, g1Msm],
    [0x0dn, g2Add],
    [0x0en, g2Msm],
    [0x0fn, blsPairing],
    [0x10n, mapFpToG1],
    [0x11n, mapFp2ToG2],
  ],
  osaka: [
    [0x05n, () => modexp.eip7883],
    [0x100n, p256Verify.eip7951],
  ],
}

/** RIP-7212 */
const ofRollups: readonly Entry[] = [[0x100n, p256Verify.rip7212]]

type Options = {
  hardfork: Hardfork
  /** The chain had P256VERIFY before Osaka, as rollups do. */
  p256?: boolean
}

/** It shares the memory of `crypto`: once a thread and chain, not once a run. */
export function precompilesOf({ hardfork, p256 = false }: Options, crypto: Crypto): Precompiles {
  const ofForks = hardforks.filter((fork) => isActive(fork, hardfork)).flatMap((fork) => added[fork])
  const entries = p256 && !isActive('osaka', hardfork) ? [...ofForks, ...ofRollups] : ofForks
  return new Map(entries.map(([address, precompile]) => [address, onceAsked(() => precompile(crypto))]))
}

/** Made by its first call, since it may have a curve started that most threads never need. */
function onceAsked(make: () => Precompile): Precompile {
  const made = once(make)
  return { gas: (input) => made().gas(input), run: (input) => made().run(input) }
}
