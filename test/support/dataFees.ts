import { type Address, encodeFunctionData } from 'viem'
import { nodeInterface, ownerPublic } from '../../src/chain/data-fee/arbitrum.ts'
import type { Compiled } from '../../src/contracts/compile.ts'
import type { AccountChain } from './accounts.ts'
import { transact } from './bundles.ts'
import { compileOnce } from './compileOnce.ts'
import { rpc } from './devChain.ts'

/** Contracts of other chains, as contracts/DataFees.sol has them. */
export type DataFeeContracts = {
  /** Puts the contract where such chains have theirs. */
  place(chain: { url: string }, name: string, at: Address): Promise<void>
  /** Makes a chain answer as Arbitrum does. */
  likeArbitrum(chain: AccountChain, pricePerUnit: bigint): Promise<void>
  setPricePerUnit(chain: AccountChain, pricePerUnit: bigint): Promise<void>
}

export async function dataFeeContracts(): Promise<DataFeeContracts> {
  const contracts = await compileOnce(`${import.meta.dir}/contracts/DataFees.sol`)
  function contract(name: string): Compiled {
    const found = contracts[name]
    if (found === undefined) throw new Error(`no contract ${name}`)
    return found
  }

  async function place(chain: { url: string }, name: string, at: Address): Promise<void> {
    await rpc(chain.url, 'anvil_setCode', [at, contract(name).deployedBytecode])
  }

  async function setPricePerUnit(chain: AccountChain, pricePerUnit: bigint): Promise<void> {
    const { abi } = contract('NodeInterface')
    await transact(
      chain,
      nodeInterface,
      encodeFunctionData({ abi, functionName: 'setPricePerUnit', args: [pricePerUnit] }),
    )
  }

  return {
    place,
    setPricePerUnit,
    async likeArbitrum(chain, pricePerUnit) {
      await place(chain, 'NodeInterface', nodeInterface)
      await place(chain, 'ArbOwnerPublic', ownerPublic)
      await setPricePerUnit(chain, pricePerUnit)
    },
  }
}
