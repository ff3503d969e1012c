import safeModule from '@safe-global/safe-4337/build/artifacts/contracts/Safe4337Module.sol/Safe4337Module.json'
import moduleSetup from '@safe-global/safe-4337/build/artifacts/contracts/SafeModuleSetup.sol/SafeModuleSetup.json'
import multiSend from '@safe-global/safe-contracts/build/artifacts/contracts/libraries/MultiSend.sol/MultiSend.json'
import multiSendCallOnly from '@safe-global/safe-contracts/build/artifacts/contracts/libraries/MultiSendCallOnly.sol/MultiSendCallOnly.json'
import proxyFactory from '@safe-global/safe-contracts/build/artifacts/contracts/proxies/SafeProxyFactory.sol/SafeProxyFactory.json'
import singleton from '@safe-global/safe-contracts/build/artifacts/contracts/SafeL2.sol/SafeL2.json'
import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  type Hex,
  type LocalAccount,
  parseAbi,
  zeroAddress,
} from 'viem'
import {
  entryPoint07Abi,
  type SmartAccountImplementation,
  toPackedUserOperation,
  toSmartAccount,
} from 'viem/account-abstraction'
import { simulateContract } from 'viem/actions'
import { entryPoints } from '../../src/types/entrypoint.ts'
import type { AccountChain } from './accounts.ts'
import { deploy } from './bundles.ts'

/** Safe 1.4.1 with its module for EntryPoint 0.7, as npm has them. */
export type SafeContracts = Record<'singleton' | 'factory' | 'module' | 'moduleSetup', Address>

export async function deploySafe(chain: AccountChain): Promise<SafeContracts> {
  const entryPoint = encodeAbiParameters([{ type: 'address' }], [entryPoints['0.7'].address])
  return {
    singleton: await deploy(chain, singleton.bytecode as Hex),
    factory: await deploy(chain, proxyFactory.bytecode as Hex),
    module: await deploy(chain, concatHex([safeModule.bytecode as Hex, entryPoint])),
    moduleSetup: await deploy(chain, moduleSetup.bytecode as Hex),
  }
}

/** What a Safe calls for several calls at once. */
export type MultiSendContracts = Record<'multiSendAddress' | 'multiSendCallOnlyAddress', Address>

export const deployMultiSend = async (chain: AccountChain): Promise<MultiSendContracts> => ({
  multiSendAddress: await deploy(chain, multiSend.bytecode as Hex),
  multiSendCallOnlyAddress: await deploy(chain, multiSendCallOnly.bytecode as Hex),
})

/** A Safe of one owner, counterfactual until its first operation. Its first call enables the module. */
export async function toSafeAccount(options: {
  client: SmartAccountImplementation['client']
  contracts: SafeContracts
  owner: LocalAccount
}) {
  const { client, contracts, owner } = options
  const enable = encodeFunctionData({
    abi: setupAbi,
    functionName: 'enableModules',
    args: [[contracts.module]],
  })
  const initializer = encodeFunctionData({
    abi: safeAbi,
    functionName: 'setup',
    args: [
      ...([[owner.address], 1n, contracts.moduleSetup, enable, contracts.module] as const),
      ...([zeroAddress, 0n, zeroAddress] as const),
    ],
  })
  const creation = {
    abi: factoryAbi,
    functionName: 'createProxyWithNonce',
    args: [contracts.singleton, initializer, 0n],
  } as const
  const { result: address } = await simulateContract(client, { address: contracts.factory, ...creation })
  const entryPoint = { abi: entryPoint07Abi, address: entryPoints['0.7'].address, version: '0.7' } as const

  return toSmartAccount({
    client,
    entryPoint,
    getAddress: async () => address,
    getFactoryArgs: async () => ({ factory: contracts.factory, factoryData: encodeFunctionData(creation) }),
    async encodeCalls([call]) {
      if (call === undefined) throw new Error('one call is needed')
      const args = [call.to, call.value ?? 0n, call.data ?? '0x', 0] as const
      return encodeFunctionData({ abi: moduleAbi, functionName: 'executeUserOp', args })
    },
    getStubSignature: async () => timed(`0x${'ab'.repeat(64)}1c`),
    signMessage: ({ message }) => owner.signMessage({ message }),
    signTypedData: (data) => owner.signTypedData(data as never),
    /** The module has a form of its own for what the owner signs. */
    async signUserOperation({ chainId = client.chain?.id ?? 0, ...operation }) {
      const packed = toPackedUserOperation({ ...operation, sender: address })
      const signature = await owner.signTypedData({
        domain: { chainId, verifyingContract: contracts.module },
        types: { SafeOp: safeOperation },
        primaryType: 'SafeOp',
        message: {
          safe: address,
          nonce: operation.nonce,
          initCode: packed.initCode,
          callData: operation.callData,
          verificationGasLimit: operation.verificationGasLimit,
          callGasLimit: operation.callGasLimit,
          preVerificationGas: operation.preVerificationGas,
          maxPriorityFeePerGas: operation.maxPriorityFeePerGas,
          maxFeePerGas: operation.maxFeePerGas,
          paymasterAndData: packed.paymasterAndData,
          validAfter: 0,
          validUntil: 0,
          entryPoint: entryPoint.address,
        },
      })
      return timed(signature)
    },
  })
}

/** Behind validAfter and validUntil, which are without bound. */
const timed = (signature: Hex): Hex => encodePacked(['uint48', 'uint48', 'bytes'], [0, 0, signature])

const safeOperation = [
  { name: 'safe', type: 'address' },
  { name: 'nonce', type: 'uint256' },
  { name: 'initCode', type: 'bytes' },
  { name: 'callData', type: 'bytes' },
  { name: 'verificationGasLimit', type: 'uint128' },
  { name: 'callGasLimit', type: 'uint128' },
  { name: 'preVerificationGas', type: 'uint256' },
  { name: 'maxPriorityFeePerGas', type: 'uint128' },
  { name: 'maxFeePerGas', type: 'uint128' },
  { name: 'paymasterAndData', type: 'bytes' },
  { name: 'validAfter', type: 'uint48' },
  { name: 'validUntil', type: 'uint48' },
  { name: 'entryPoint', type: 'address' },
] as const

const setupAbi = parseAbi(['function enableModules(address[] modules)'])
const moduleAbi = parseAbi(['function executeUserOp(address to, uint256 value, bytes data, uint8 operation)'])
const safeAbi = parseAbi([
  'function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)',
])
const factoryAbi = parseAbi([
  'function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce) returns (address)',
])
