import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  type Hex,
  type PrivateKeyAccount,
  parseAbi,
  parseEther,
  zeroHash,
} from 'viem'
import {
  entryPoint08Abi,
  getUserOperationHash,
  type SmartAccountImplementation,
  toSmartAccount,
} from 'viem/account-abstraction'
import { readContract } from 'viem/actions'
import { entryPoints } from '../../src/types/entrypoint.ts'
import type { AccountChain } from './accounts.ts'
import { deploy, transact } from './bundles.ts'
import { compileOnce } from './compileOnce.ts'

/** OpenZeppelin's modular account for EntryPoint 0.8 (contracts/ModularAccount.sol). */
export type ModularContracts = Record<'validator' | 'factory', Address>

export async function deployModular(chain: AccountChain): Promise<ModularContracts> {
  const path = `${import.meta.dir}/contracts/ModularAccount.sol`
  const { OwnerValidator, ModularAccountFactory } = await compileOnce(path, { evmVersion: 'cancun' })
  if (OwnerValidator === undefined || ModularAccountFactory === undefined) throw new Error('not compiled')
  const validator = await deploy(chain, OwnerValidator.bytecode)
  const argument = encodeAbiParameters([{ type: 'address' }], [validator])
  const factory = await deploy(chain, concatHex([ModularAccountFactory.bytecode, argument]))
  const stake = encodeFunctionData({
    abi: factoryAbi,
    functionName: 'stake',
    args: [entryPoints['0.8'].address, 86_400],
  })
  await transact(chain, factory, stake, { value: parseEther('1') })
  return { validator, factory }
}

/** An account whose validator asks for `owner`'s signature, counterfactual until its first operation. */
export async function toModularAccount(options: {
  client: SmartAccountImplementation['client']
  contracts: ModularContracts
  owner: PrivateKeyAccount
}) {
  const { client, contracts, owner } = options
  const args = [owner.address, 0n] as const
  const address = await readContract(client, {
    address: contracts.factory,
    abi: factoryAbi,
    functionName: 'addressOf',
    args,
  })
  const entryPoint = { abi: entryPoint08Abi, address: entryPoints['0.8'].address, version: '0.8' } as const

  return toSmartAccount({
    client,
    entryPoint,
    getAddress: async () => address,
    getFactoryArgs: async () => ({
      factory: contracts.factory,
      factoryData: encodeFunctionData({ abi: factoryAbi, functionName: 'create', args }),
    }),
    /** The key of its nonces names the validator. */
    getNonce: () =>
      readContract(client, {
        ...entryPoint,
        functionName: 'getNonce',
        args: [address, BigInt(contracts.validator) << 32n],
      }),
    async encodeCalls(calls) {
      const [only] = calls
      const execution =
        calls.length === 1 && only !== undefined
          ? encodePacked(['address', 'uint256', 'bytes'], [only.to, only.value ?? 0n, only.data ?? '0x'])
          : encodeAbiParameters(batchAbi, [
              calls.map(({ to, value, data }) => ({ to, value: value ?? 0n, data: data ?? '0x' })),
            ])
      const mode = calls.length === 1 ? zeroHash : batchMode
      return encodeFunctionData({ abi: accountAbi, functionName: 'execute', args: [mode, execution] })
    },
    getStubSignature: async () => `0x${'ab'.repeat(64)}1c`,
    signMessage: ({ message }) => owner.signMessage({ message }),
    signTypedData: (data) => owner.signTypedData(data as never),
    signUserOperation({ chainId = client.chain?.id ?? 0, ...operation }) {
      const userOperation = { ...operation, sender: address }
      const place = { entryPointAddress: entryPoint.address, entryPointVersion: entryPoint.version }
      return owner.sign({ hash: getUserOperationHash({ chainId, ...place, userOperation }) })
    },
  })
}

/** ERC-7579: call type 1, a batch. */
const batchMode: Hex = `0x01${'00'.repeat(31)}`
const batchAbi = [
  {
    type: 'tuple[]',
    components: [
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'data', type: 'bytes' },
    ],
  },
] as const
const accountAbi = parseAbi(['function execute(bytes32 mode, bytes executionCalldata)'])
const factoryAbi = parseAbi([
  'function stake(address entryPoint, uint32 unstakeDelaySec) payable',
  'function create(address owner, uint256 salt) returns (address)',
  'function addressOf(address owner, uint256 salt) view returns (address)',
])
