import { type Address, encodeFunctionData, type Hex, type LocalAccount, parseAbi } from 'viem'
import {
  entryPoint06Abi,
  entryPoint07Abi,
  entryPoint08Abi,
  getUserOperationHash,
  type SmartAccount,
  type SmartAccountImplementation,
  toSmartAccount,
  type UserOperation,
} from 'viem/account-abstraction'
import { readContract } from 'viem/actions'
import { entryPoints } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'

const factoryAbi = parseAbi([
  'function getAddress(address owner, uint256 salt) view returns (address)',
  'function createAccount(address owner, uint256 salt) returns (address)',
])
const executeAbi = parseAbi([
  'function execute(address target, uint256 value, bytes data)',
  'function executeBatch(address[] targets, uint256[] values, bytes[] datas)',
  'function executeBatch(address[] targets, bytes[] datas)',
  'function executeBatch((address target, uint256 value, bytes data)[] calls)',
])

type Call = { to: Address; value?: bigint; data?: Hex }

/** Where the versions of SimpleAccount differ for a wallet: the form of a batch, and what the owner signs. */
const versions = {
  '0.6': {
    abi: entryPoint06Abi,
    batch: (calls: readonly Call[]) =>
      executeBatch([calls.map((call) => call.to), calls.map((call) => call.data ?? '0x')]),
    sign: (owner: LocalAccount, hash: Hex) => owner.signMessage({ message: { raw: hash } }),
  },
  '0.7': {
    abi: entryPoint07Abi,
    batch: (calls: readonly Call[]) =>
      executeBatch([
        calls.map((call) => call.to),
        calls.map((call) => call.value ?? 0n),
        calls.map((call) => call.data ?? '0x'),
      ]),
    sign: (owner: LocalAccount, hash: Hex) => owner.signMessage({ message: { raw: hash } }),
  },
  '0.8': {
    abi: entryPoint08Abi,
    batch: (calls: readonly Call[]) =>
      executeBatch([
        calls.map((call) => ({ target: call.to, value: call.value ?? 0n, data: call.data ?? '0x' })),
      ]),
    sign: (owner: LocalAccount, hash: Hex) => {
      if (owner.sign === undefined) throw new Error('the owner cannot sign a bare hash')
      return owner.sign({ hash })
    },
  },
} as const

// biome-ignore lint/suspicious/noExplicitAny: viem picks the overload from the shape of the arguments
const executeBatch = (args: any): Hex =>
  encodeFunctionData({ abi: executeAbi, functionName: 'executeBatch', args })

/** eth-infinitism's SimpleAccount as a viem smart account, counterfactual until its first operation. */
export async function toSimpleAccount(options: {
  client: SmartAccountImplementation['client']
  version: EntryPointVersion
  owner: LocalAccount
  factory: Address
  salt?: bigint
}): Promise<SmartAccount<SmartAccountImplementation>> {
  const { client, version, owner, factory } = options
  const { abi, batch, sign } = versions[version]
  const args = [owner.address, options.salt ?? 0n] as const
  const address = await readContract(client, {
    address: factory,
    abi: factoryAbi,
    functionName: 'getAddress',
    args,
  })
  const entryPoint = { abi, address: entryPoints[version].address, version }
  return toSmartAccount({
    client,
    entryPoint,
    getAddress: async () => address,
    getFactoryArgs: async () => ({
      factory,
      factoryData: encodeFunctionData({ abi: factoryAbi, functionName: 'createAccount', args }),
    }),
    async encodeCalls(calls) {
      const [only] = calls
      if (calls.length !== 1 || only === undefined) return batch(calls as readonly Call[])
      const execute = [only.to, only.value ?? 0n, only.data ?? '0x'] as const
      return encodeFunctionData({ abi: executeAbi, functionName: 'execute', args: execute })
    },
    // Well formed and of the right length, so that estimates count what a real one costs.
    getStubSignature: async () =>
      '0xfffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c',
    signMessage: ({ message }) => owner.signMessage({ message }),
    signTypedData: (data) => owner.signTypedData(data as never),
    async signUserOperation({ chainId, ...operation }) {
      const userOperation = { ...operation, sender: address } as UserOperation
      const id = chainId ?? client.chain?.id
      if (id === undefined) throw new Error('a client with a chain is needed')
      const hash = getUserOperationHash({
        chainId: id,
        entryPointAddress: entryPoint.address,
        entryPointVersion: version,
        userOperation,
      })
      return sign(owner, hash)
    },
  }) as Promise<SmartAccount<SmartAccountImplementation>>
}
