import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { AccountChain } from './accounts.ts'
import { deploy } from './bundles.ts'
import { compileOnce } from './compileOnce.ts'

/** Factories that do not what a factory should (contracts/Factories.sol), on one chain. */
export type Factories = Record<'EmptyFactory' | 'RefusingFactory', Address>

export async function badFactories(chain: AccountChain): Promise<Factories> {
  const { EmptyFactory, RefusingFactory } = await compileOnce(`${import.meta.dir}/contracts/Factories.sol`)
  if (EmptyFactory === undefined || RefusingFactory === undefined) throw new Error('a contract is missing')
  return {
    EmptyFactory: await deploy(chain, EmptyFactory.bytecode),
    RefusingFactory: await deploy(chain, RefusingFactory.bytecode),
  }
}

/** `factoryData` for both of them. */
export function create(sender: Address): Hex {
  return encodeFunctionData({
    abi: parseAbi(['function create(address sender) returns (address)']),
    args: [sender],
  })
}
