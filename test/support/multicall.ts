import { dirname, join } from 'node:path'
import type { Address, Hex } from 'viem'
import type { AccountChain } from './accounts.ts'
import { deploy } from './bundles.ts'

/** Deploys Multicall3 as it is on public chains; viem carries its bytecode, and does not export it. */
export async function deployMulticall(chain: AccountChain): Promise<Address> {
  const viem = dirname(Bun.resolveSync('viem/package.json', import.meta.dir))
  const { multicall3Bytecode } = (await import(join(viem, '_esm/constants/contracts.js'))) as {
    multicall3Bytecode: Hex
  }
  return deploy(chain, multicall3Bytecode)
}
