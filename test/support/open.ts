import { type Address, encodeDeployData, encodeFunctionData, type Hex, parseEther, stringToHex } from 'viem'
import type { Compiled } from '../../src/contracts/compile.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import type { EntryPointVersion } from '../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { type AccountChain, fund, signedOperation, simpleAccount } from './accounts.ts'
import { deploy, transact } from './bundles.ts'
import { compileOnce } from './compileOnce.ts'

/** Accounts and paymasters that do as a test tells them (contracts/Hostile.sol), on one chain. */
export type OpenContracts = {
  deploy(name: string): Promise<Address>
  call(name: string, functionName: string, args?: readonly unknown[]): Hex
  /** An operation of a funded account without an owner; it answers `answer` to validation. */
  operation(
    version: EntryPointVersion,
    changes?: Partial<UserOperation>,
    settings?: { answer?: bigint; burn?: bigint; refusal?: string },
  ): Promise<UserOperation>
  /** A paymaster with `deposit` wei at the EntryPoint. */
  paymaster(
    version: EntryPointVersion,
    deposit: bigint,
    settings?: {
      answer?: bigint
      contextSize?: bigint
      postOpSlots?: bigint
      refusal?: string
      /** `refuse` changes its mind. */
      isFickle?: boolean
      isStaked?: boolean
    },
  ): Promise<Address>
}

export async function openContracts(chain: AccountChain): Promise<OpenContracts> {
  const contracts = await compileOnce(`${import.meta.dir}/contracts/Hostile.sol`)
  function contract(name: string): Compiled {
    const found = contracts[name]
    if (found === undefined) throw new Error(`no contract ${name}`)
    return found
  }
  const deployed = (name: string) => deploy(chain, contract(name).bytecode)
  const call = (name: string, functionName: string, args: readonly unknown[] = []) =>
    encodeFunctionData({ abi: contract(name).abi, functionName, args })

  return {
    deploy: deployed,
    call,
    async operation(version, changes = {}, { answer = 0n, burn = 0n, refusal = '' } = {}) {
      const sender = await deployed('OpenAccount')
      await fund(chain, sender)
      await transact(chain, sender, call('OpenAccount', 'set', [answer, burn, refusal]))
      const template = await signedOperation(chain, await simpleAccount(chain, version))
      return { ...template, sender, factory: undefined, factoryData: '0x', ...changes }
    },
    async paymaster(version, deposit, settings = {}) {
      const { answer = 0n, contextSize = 0n, postOpSlots = 0n, refusal = '' } = settings
      const { isFickle = false, isStaked = isFickle } = settings
      const { abi: itsAbi, bytecode } = contract('OpenPaymaster')
      const args = [answer, contextSize, postOpSlots, stringToHex(refusal, { size: 32 }), isFickle]
      const paymaster = await deploy(chain, encodeDeployData({ abi: itsAbi, bytecode, args }))
      const { address, abi } = entryPoints[version]
      const depositTo = encodeFunctionData({ abi, functionName: 'depositTo', args: [paymaster] })
      if (deposit > 0n) await transact(chain, address, depositTo, { value: deposit })
      if (isStaked) {
        await fund(chain, paymaster, parseEther('2'))
        const addStake = encodeFunctionData({ abi, functionName: 'addStake', args: [86_400] })
        await transact(chain, address, addStake, { value: parseEther('1'), as: paymaster })
      }
      return paymaster
    },
  }
}
