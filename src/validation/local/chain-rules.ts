import type { Address } from 'viem'
import type { Crypto } from '../../evm/crypto/crypto.ts'
import type { ChainRules } from '../../evm/environment.ts'
import type { Hardfork } from '../../evm/hardfork.ts'
import { Unsupported } from '../../evm/outcome.ts'
import type { Precompile } from '../../evm/precompile.ts'
import { precompilesOf } from '../../evm/precompiles/precompiles-of.ts'

/** What is known of a chain's EVM. */
export type EvmFacts = {
  hardfork: Hardfork
  /** It has P256VERIFY at 0x100, whatever its hardfork. */
  p256Verify: boolean
  /** Precompiles that no hardfork has. */
  ownPrecompiles: readonly Address[]
  /** It runs code that no hardfork knows. */
  ownOpcodes: boolean
}

/** Once a thread and chain. */
export function chainRulesOf(
  { chainId, hardfork, p256Verify, ownPrecompiles, ownOpcodes }: EvmFacts & { chainId: number },
  crypto: Crypto,
): ChainRules {
  const own = ownPrecompiles.map((address) => [BigInt(address), unknownPrecompile(address)] as const)
  return {
    chainId: BigInt(chainId),
    hardfork,
    precompiles: new Map([...precompilesOf({ hardfork, p256: p256Verify }, crypto), ...own]),
    keccak: crypto.keccak256,
    unknownOpcodes: ownOpcodes ? 'unsupported' : 'invalid',
  }
}

function unknownPrecompile(address: Address): Precompile {
  return {
    gas: () => 0,
    run() {
      throw new Unsupported(`precompile ${address}`)
    },
  }
}
