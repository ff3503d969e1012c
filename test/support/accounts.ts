import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  numberToHex,
  parseAbi,
  parseEther,
  type SignedAuthorization,
} from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { DevContracts } from '../../src/dev/deploy.ts'
import { userOperationHash } from '../../src/types/entrypoint.ts'
import type { EntryPointVersion } from '../../src/types/entrypoint-version.ts'
import { eip7702Factory, type UserOperation } from '../../src/types/userop.ts'
import { rpc } from './devChain.ts'

/** The part of a DevChain that accounts need; anything with these fields will do. */
export type AccountChain = DevContracts & { url: string; chainId: number }

/** A smart account and the key that signs for it. Counterfactual until its first operation. */
export type TestAccount = {
  version: EntryPointVersion
  owner: PrivateKeyAccount
  address: Address
  factory: Address
  factoryData: Hex
}

/** A SimpleAccount of `version` that is not deployed yet; a fresh owner unless one is given. */
export async function simpleAccount(
  chain: AccountChain,
  version: EntryPointVersion,
  options: { owner?: PrivateKeyAccount; salt?: bigint } = {},
): Promise<TestAccount> {
  const owner = options.owner ?? privateKeyToAccount(generatePrivateKey())
  const args = [owner.address, options.salt ?? 0n] as const
  const factory = chain.factories[version]
  const question = encodeFunctionData({ abi: factoryAbi, functionName: 'getAddress', args })
  const word = await rpc<Hex>(chain.url, 'eth_call', [{ to: factory, data: question }, 'latest'])
  return {
    version,
    owner,
    address: getAddress(`0x${word.slice(-40)}`),
    factory,
    factoryData: encodeFunctionData({ abi: factoryAbi, functionName: 'createAccount', args }),
  }
}

/** An account of EntryPoint 0.8 whose code comes by EIP-7702: its address is its owner's. */
export function delegatedAccount(owner = privateKeyToAccount(generatePrivateKey())): TestAccount {
  return { version: '0.8', owner, address: owner.address, factory: eip7702Factory, factoryData: '0x' }
}

/** The owner's authorization for Simple7702Account, at its present nonce. */
export async function authorization(
  chain: AccountChain,
  owner: PrivateKeyAccount,
): Promise<SignedAuthorization> {
  const nonce = Number(await rpc<Hex>(chain.url, 'eth_getTransactionCount', [owner.address, 'latest']))
  return owner.signAuthorization({ address: chain.simple7702Account, chainId: chain.chainId, nonce })
}

/** Sets the balance; 1 coin pays for any test. */
export async function fund(chain: AccountChain, address: Address, wei = parseEther('1')): Promise<void> {
  await rpc(chain.url, 'anvil_setBalance', [address, numberToHex(wei)])
}

/** `account.execute(target, value, data)`, the same in all versions. */
export function execute(target: Address, value = 0n, data: Hex = '0x'): Hex {
  return encodeFunctionData({ abi: executeAbi, functionName: 'execute', args: [target, value, data] })
}

/**
 * A signed operation of `account` with gas and fees that any development chain takes. `changes` come before the
 * signature. Give `factory: undefined, factoryData: '0x'` once the account is deployed.
 */
export async function signedOperation(
  chain: AccountChain,
  account: TestAccount,
  changes: Partial<UserOperation> = {},
): Promise<UserOperation> {
  return sign(chain, account, {
    version: account.version,
    sender: account.address,
    nonce: 0n,
    factory: account.factory,
    factoryData: account.factoryData,
    callData: execute('0x000000000000000000000000000000000000dEaD', 1n),
    callGasLimit: 100_000n,
    verificationGasLimit: 480_000n,
    preVerificationGas: 100_000n,
    maxFeePerGas: 5_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    paymaster: undefined,
    paymasterVerificationGasLimit: 0n,
    paymasterPostOpGasLimit: 0n,
    paymasterData: '0x',
    signature: '0x',
    eip7702Auth: undefined,
    ...changes,
  })
}

/** Signs as SimpleAccount checks: the EIP-191 hash up to 0.7, the EIP-712 hash itself from 0.8 on. */
export async function sign(
  chain: AccountChain,
  account: TestAccount,
  op: UserOperation,
): Promise<UserOperation> {
  const hash = userOperationHash(op, chain.chainId)
  const signature =
    op.version === '0.8'
      ? await account.owner.sign({ hash })
      : await account.owner.signMessage({ message: { raw: hash } })
  return { ...op, signature }
}

const factoryAbi = parseAbi([
  'function getAddress(address owner, uint256 salt) view returns (address)',
  'function createAccount(address owner, uint256 salt) returns (address)',
])
const executeAbi = parseAbi(['function execute(address target, uint256 value, bytes data)'])
