import type { Crypto } from '../crypto/crypto.ts'
import { type Hardfork, hardforks, isActive } from '../hardfork.ts'
import type { Precompile, Precompiles } from '../precompile.ts'
import type { Word } from '../word.ts'
import { ecrecover } from './ecrecover.ts'
import { identity } from './identity.ts'
import { modexp } from './modexp.ts'
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
  ],
  cancun: [],
  prague: [],
  osaka: [[0x05n, () => modexp.eip7883]],
}

type Options = {
  hardfork: Hardfork
}

export function precompilesOf({ hardfork }: Options, crypto: Crypto): Precompiles {
  const entries = hardforks.filter((fork) => isActive(fork, hardfork)).flatMap((fork) => added[fork])
  return new Map(entries.map(([address, precompile]) => [address, precompile(crypto)]))
}
