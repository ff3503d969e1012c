import { type Address, encodeFunctionData, type Hex } from 'viem'
import { abi as sponsor06 } from '../../contracts/paymaster/artifacts/SponsorPaymaster06.ts'
import { abi as verifying06 } from '../../contracts/paymaster/artifacts/VerifyingPaymaster06.ts'
import { abi as verifying07 } from '../../contracts/paymaster/artifacts/VerifyingPaymaster07.ts'
import { entryPoints } from '../../types/entrypoint.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'

/** A call of a wallet; `value` in wei. */
export type Call = { to: Address; data: Hex; value: bigint }

/** A tenant's own paymaster. */
export type OwnPaymaster = { address: Address; version: EntryPointVersion }

/** The shared paymaster has the singular forms for less gas. */
export function changeList(paymaster: Address, accounts: readonly Address[], change: 'add' | 'remove'): Call {
  const [first] = accounts
  const abi = sponsor06
  if (accounts.length === 1 && first !== undefined) {
    const functionName = change === 'add' ? 'addToWhitelist' : 'removeFromWhitelist'
    return { to: paymaster, data: encodeFunctionData({ abi, functionName, args: [first] }), value: 0n }
  }
  const functionName = change === 'add' ? 'addManyToWhitelist' : 'removeManyFromWhitelist'
  return { to: paymaster, data: encodeFunctionData({ abi, functionName, args: [accounts] }), value: 0n }
}

export function depositShared(paymaster: Address, sponsor: Address, amount: bigint): Call {
  const data = encodeFunctionData({ abi: sponsor06, functionName: 'depositFor', args: [sponsor] })
  return { to: paymaster, data, value: amount }
}

export function withdrawShared(paymaster: Address, to: Address, amount: bigint): Call {
  const data = encodeFunctionData({ abi: sponsor06, functionName: 'withdraw', args: [to, amount] })
  return { to: paymaster, data, value: 0n }
}

export function depositOwn({ address, version }: OwnPaymaster, amount: bigint): Call {
  const entryPoint = entryPoints[version]
  const data = encodeFunctionData({ abi: entryPoint.abi, functionName: 'depositTo', args: [address] })
  return { to: entryPoint.address, data, value: amount }
}

export function withdrawOwn({ address, version }: OwnPaymaster, to: Address, amount: bigint): Call {
  const data = encodeFunctionData({ abi: abiOf(version), functionName: 'withdrawTo', args: [to, amount] })
  return { to: address, data, value: 0n }
}

/** @param unstakeDelay s */
export function stakeOwn({ address, version }: OwnPaymaster, amount: bigint, unstakeDelay: number): Call {
  const data = encodeFunctionData({ abi: abiOf(version), functionName: 'addStake', args: [unstakeDelay] })
  return { to: address, data, value: amount }
}

const abiOf = (version: EntryPointVersion) => (version === '0.6' ? verifying06 : verifying07)
