import { parseEther } from 'viem'
import { entryPointVersions } from '../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { fund, type TestAccount } from '../../test/support/accounts.ts'
import type { DevChain } from '../../test/support/devChain.ts'
import { fleet, operation } from '../../test/support/fleet.ts'

/** Gas that an execution of a SimpleAccount surely fits into. */
export const gas = { callGasLimit: 60_000n, verificationGasLimit: 100_000n, preVerificationGas: 70_000n }
/** wei; months of operations */
const purse = parseEther('1000')

/** A deployed account and the nonce of its next operation. */
export type Wallet = { account: TestAccount; nonce: bigint }

/** `size` deployed and funded SimpleAccounts of all versions by turns. Call it while the chain mines on demand. */
export async function openWallets(chain: DevChain, size: number): Promise<Wallet[]> {
  const share = Math.ceil(size / entryPointVersions.length)
  const fleets: TestAccount[][] = []
  for (const version of entryPointVersions) fleets.push(await fleet(chain, version, share))
  const accounts = Array.from({ length: share }, (_, index) =>
    fleets.flatMap((one) => one.slice(index, index + 1)),
  ).flat()
  await Promise.all(accounts.map(({ address }) => fund(chain, address, purse)))
  return accounts.map((account) => ({ account, nonce: 0n }))
}

export function nextOperation(
  chain: DevChain,
  { account, nonce }: Wallet,
  changes: Partial<UserOperation> = {},
): Promise<UserOperation> {
  return operation(chain, account, { ...gas, nonce, ...changes })
}
