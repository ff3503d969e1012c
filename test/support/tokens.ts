import {
  type Abi,
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  parseAbi,
} from 'viem'
import type { Compiled } from '../../src/contracts/compile.ts'
import type { EntryPointVersion } from '../../src/types/entrypoint-version.ts'
import type { AccountChain } from './accounts.ts'
import { deploy, transact } from './bundles.ts'
import { compileOnce } from './compileOnce.ts'
import { readContract } from './paymasters.ts'

/** A token or feed of contracts/Tokens.sol on a chain. */
export type TestContract = {
  address: Address
  call(functionName: string, args?: readonly unknown[]): Hex
  read<Result>(functionName: string, args?: readonly unknown[]): Promise<Result>
  write(functionName: string, args?: readonly unknown[]): Promise<void>
}

export type TokenName =
  | 'PlainToken'
  | 'FeeToken'
  | 'FalseToken'
  | 'HookToken'
  | 'SilentToken'
  | 'ProxiedToken'

/** Makes contracts of Tokens.sol on one chain: `make('PlainToken', 6)`. */
export async function tokenMaker(
  chain: AccountChain,
): Promise<(name: TokenName | 'TestFeed', decimals?: number) => Promise<TestContract>> {
  const contracts = await compileOnce(`${import.meta.dir}/contracts/Tokens.sol`)
  return async (name, decimals) => {
    const { bytecode } = contracts[name] as Compiled
    const { abi } = contracts[name === 'ProxiedToken' ? 'GuardedToken' : name] as Compiled
    const argument =
      decimals === undefined ? '' : encodeAbiParameters([{ type: 'uint8' }], [decimals]).slice(2)
    return testContract(chain, getAddress(await deploy(chain, `${bytecode}${argument}`)), abi)
  }
}

function testContract(chain: AccountChain, address: Address, abi: Abi): TestContract {
  const call = (functionName: string, args: readonly unknown[] = []) =>
    encodeFunctionData({ abi, functionName, args })
  return {
    address,
    call,
    read: (functionName, args) => readContract(chain, address, abi, functionName, args),
    write: (functionName, args) => transact(chain, address, call(functionName, args)),
  }
}

export const balanceOf = (token: TestContract, of: Address): Promise<bigint> => token.read('balanceOf', [of])

/** SimpleAccount's executeBatch: all of the calls or none. */
export function executeBatch(
  version: EntryPointVersion,
  calls: readonly { target: Address; data: Hex }[],
): Hex {
  const targets = calls.map(({ target }) => target)
  const datas = calls.map(({ data }) => data)
  const values = calls.map(() => 0n)
  switch (version) {
    case '0.6':
      return encodeFunctionData({
        abi: parseAbi(['function executeBatch(address[] dest, bytes[] func)']),
        args: [targets, datas],
      })
    case '0.7':
      return encodeFunctionData({
        abi: parseAbi(['function executeBatch(address[] dest, uint256[] value, bytes[] func)']),
        args: [targets, values, datas],
      })
    case '0.8':
      return encodeFunctionData({
        abi: parseAbi([
          'struct Call { address target; uint256 value; bytes data; }',
          'function executeBatch(Call[] calls)',
        ]),
        args: [calls.map((call) => ({ ...call, value: 0n }))],
      })
  }
}
