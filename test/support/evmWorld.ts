import type { Hex } from 'viem'
import { loadCrypto } from '../../src/evm/crypto/crypto.ts'
import type { BlockEnvironment, ChainRules } from '../../src/evm/environment.ts'
import { precompilesOf } from '../../src/evm/precompiles/precompiles-of.ts'
import type { BlockRef } from '../../src/types/block.ts'
import type { NodeClient } from '../../src/types/ports/chain.ts'
import type { StateRuns } from '../../src/validation/estimate/evm/estimate-in-evm.ts'
import type { EvmWorld } from '../../src/validation/handling/handle-op.ts'
import { createChainState } from '../../src/validation/state/chain-state.ts'
import { createCodeCache } from '../../src/validation/state/code-cache.ts'
import { noKeys } from '../../src/validation/state/keys.ts'
import { rpc } from './devChain.ts'
import { silentContext } from './simulation.ts'

const hardfork = 'prague'

/** Our own EVM on the state of a development chain. */
export async function evmWorld(chain: { url: string; chainId: number }, node: NodeClient) {
  const crypto = await loadCrypto()
  const rules: ChainRules = {
    chainId: BigInt(chain.chainId),
    hardfork,
    precompiles: precompilesOf({ hardfork, p256: false }, crypto),
    keccak: crypto.keccak256,
    unknownOpcodes: 'invalid',
  }
  const state = createChainState(
    { chainId: chain.chainId, hardfork },
    {
      ...silentContext(),
      ...{ node, codes: createCodeCache({ capacity: 1 << 24 }), keccak: crypto.keccak256, now: () => 0 },
    },
  )
  return async (block: BlockRef): Promise<EvmWorld & { runs: StateRuns }> => ({
    chain: rules,
    block: await environmentOf(chain, block),
    runs: (attempt) => state.run(state.viewAt(block), () => ({ known: noKeys() }), attempt),
  })
}

async function environmentOf(chain: { url: string }, { hash }: BlockRef): Promise<BlockEnvironment> {
  const header = await rpc<Record<string, Hex>>(chain.url, 'eth_getBlockByHash', [hash, false])
  const word = (field: string): bigint => BigInt(header[field] ?? '0x0')
  return {
    number: word('number'),
    timestamp: word('timestamp'),
    gasLimit: word('gasLimit'),
    baseFee: word('baseFeePerGas'),
    blobBaseFee: 1n,
    coinbase: word('miner'),
    prevRandao: word('mixHash'),
  }
}
