import { loadCrypto } from '../../src/evm/crypto/crypto.ts'
import type { ChainRules } from '../../src/evm/environment.ts'
import { precompilesOf } from '../../src/evm/precompiles/precompiles-of.ts'

/** The chain of the official state tests. */
export async function cancun(): Promise<ChainRules> {
  const crypto = await loadCrypto()
  const hardfork = 'cancun'
  return {
    chainId: 1n,
    hardfork,
    precompiles: precompilesOf({ hardfork }, crypto),
    keccak: crypto.keccak256,
    unknownOpcodes: 'invalid',
  }
}
