import { loadCrypto } from '../../src/evm/crypto/crypto.ts'
import type { BlockEnvironment, ChainRules } from '../../src/evm/environment.ts'
import type { Hardfork } from '../../src/evm/hardfork.ts'
import { precompilesOf } from '../../src/evm/precompiles/precompiles-of.ts'

/** Its memory is the thread's: loaded once. */
const loaded = loadCrypto()

/** A chain with the rules of `hardfork` and nothing of its own. */
export async function evmChain(hardfork: Hardfork): Promise<ChainRules> {
  const crypto = await loaded
  return {
    chainId: 1n,
    hardfork,
    precompiles: precompilesOf({ hardfork }, crypto),
    keccak: crypto.keccak256,
    unknownOpcodes: 'invalid',
  }
}

/** Some block, cheap to run in. */
export const someBlock: BlockEnvironment = {
  number: 1_000_000n,
  timestamp: 1_800_000_000n,
  gasLimit: 60_000_000n,
  baseFee: 0n,
  blobBaseFee: 1n,
  coinbase: 0xc0ffeen,
  prevRandao: 42n,
}
