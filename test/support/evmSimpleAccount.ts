import simulations from 'entrypoint-0.7/artifacts/EntryPointSimulations.json'
import factory from 'entrypoint-0.7/artifacts/SimpleAccountFactory.json'
import { encodeDeployData, encodeFunctionData, type Hex, hexToBytes, numberToHex, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createAddress } from '../../src/evm/create-address.ts'
import type { ChainRules, Environment } from '../../src/evm/environment.ts'
import type { Message } from '../../src/evm/message.ts'
import { createState } from '../../src/evm/state/state.ts'
import { runTransaction } from '../../src/evm/transaction/run-transaction.ts'
import type { Word } from '../../src/evm/word.ts'
import { wordOf } from '../../src/evm/word.ts'
import { entryPoints, userOperationHash } from '../../src/types/entrypoint.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { someBlock } from './evmChain.ts'
import { accountsAfter, type SomeAccount, stateOf } from './evmState.ts'

const owner = privateKeyToAccount(numberToHex(0xacc0_0001n, { size: 32 }))
const deployer = 0xde9107e2n
const entryPoint = BigInt(entryPoints['0.7'].address)
const ether = 10n ** 18n

const factoryAbi = parseAbi(['function createAccount(address owner, uint256 salt) returns (address)'])

/** A state with a deployed SimpleAccount 0.7, and the call that validates an operation of it. */
export type ValidationCall = {
  readonly accounts: ReadonlyMap<Word, SomeAccount>
  readonly environment: Environment
  readonly message: Message
}

/** Deploys with the very EVM that is to be tested: nothing else is needed. */
export async function simpleAccountValidation(chain: ChainRules): Promise<ValidationCall> {
  const accounts = new Map<Word, SomeAccount>([
    [deployer, { balance: 1000n * ether }],
    [entryPoint, { nonce: 1n, code: hexToBytes(simulations.deployedBytecode as Hex) }],
  ])
  const state = createState(stateOf(accounts, chain.keccak))
  const send = (nonce: bigint, to: Word | undefined, data: Hex): Uint8Array => {
    const fees = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
    const transaction = {
      sender: deployer,
      to,
      nonce,
      value: 0n,
      data: hexToBytes(data),
      gasLimit: 10_000_000n,
      ...fees,
    }
    const result = runTransaction({ transaction, state, chain, block: someBlock, stepLimit: 1_000_000 })
    if (result.kind !== 'executed' || result.outcome.kind !== 'returned')
      throw new Error(JSON.stringify(result.kind))
    return result.outcome.output
  }
  const constructorData = {
    abi: factory.abi,
    bytecode: factory.bytecode as Hex,
    args: [entryPoints['0.7'].address],
  }
  send(0n, undefined, encodeDeployData(constructorData))
  const factoryAddress = createAddress(chain.keccak, deployer, 0n)
  const creation = encodeFunctionData({
    abi: factoryAbi,
    functionName: 'createAccount',
    args: [owner.address, 0n],
  })
  const account = wordOf(send(1n, factoryAddress, creation))
  state.setBalance(account, ether)

  const op = await signedOperation(numberToHex(account, { size: 20 }), Number(chain.chainId))
  const deployed = new Map([...accounts, ...accountsAfter(state.changes())])
  return {
    accounts: deployed,
    environment: { chain, block: someBlock, transaction: { origin: 0n, gasPrice: 0n, blobHashes: [] } },
    message: {
      kind: 'call',
      caller: 0n,
      to: entryPoint,
      value: 0n,
      input: hexToBytes(
        encodeFunctionData({
          abi: simulations.abi,
          functionName: 'simulateValidation',
          args: [entryPoints['0.7'].pack(op)],
        }),
      ),
      gas: 20_000_000,
    },
  }
}

async function signedOperation(sender: Hex, chainId: number): Promise<UserOperation> {
  const op: UserOperation = {
    version: '0.7',
    sender,
    nonce: 0n,
    factory: undefined,
    factoryData: '0x',
    callData: `0xb61d27f6${'00'.repeat(128)}`,
    callGasLimit: 100_000n,
    verificationGasLimit: 100_000n,
    preVerificationGas: 50_000n,
    maxFeePerGas: 2_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    paymaster: undefined,
    paymasterVerificationGasLimit: 0n,
    paymasterPostOpGasLimit: 0n,
    paymasterData: '0x',
    signature: '0x',
    eip7702Auth: undefined,
  }
  const signature = await owner.signMessage({ message: { raw: userOperationHash(op, chainId) } })
  return { ...op, signature }
}
