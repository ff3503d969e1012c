import {
  type Abi,
  type Address,
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  type Hash,
  type Hex,
  type Log,
  parseEther,
  parseEventLogs,
  type TransactionReceipt,
} from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import * as sponsor06 from '../../src/contracts/paymaster/artifacts/SponsorPaymaster06.ts'
import * as token06 from '../../src/contracts/paymaster/artifacts/TokenPaymaster06.ts'
import * as token07 from '../../src/contracts/paymaster/artifacts/TokenPaymaster07.ts'
import * as verifying06 from '../../src/contracts/paymaster/artifacts/VerifyingPaymaster06.ts'
import * as verifying07 from '../../src/contracts/paymaster/artifacts/VerifyingPaymaster07.ts'
import { type PaymasterPlan, paymasterDeployment } from '../../src/contracts/paymaster/deployment.ts'
import { paymasterHash } from '../../src/contracts/paymaster/hash.ts'
import { withSignature } from '../../src/contracts/paymaster/terms.ts'
import { encodeHandleOps, entryPoints } from '../../src/types/entrypoint.ts'
import type { EntryPointVersion } from '../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { type AccountChain, sign, signedOperation, simpleAccount, type TestAccount } from './accounts.ts'
import { deployAccount, minedBundle, relayer, transact } from './bundles.ts'
import { rpc } from './devChain.ts'

const abis = {
  sponsor: { '0.6': sponsor06.abi, '0.7': sponsor06.abi, '0.8': sponsor06.abi },
  verifying: { '0.6': verifying06.abi, '0.7': verifying07.abi, '0.8': verifying07.abi },
  token: { '0.6': token06.abi, '0.7': token07.abi, '0.8': token07.abi },
} as const

/** A paymaster on a chain, and those who rule it. */
export type TestPaymaster = {
  plan: PaymasterPlan
  address: Address
  owner: PrivateKeyAccount
  /** Of a sponsor paymaster: the one sponsor that has a deposit. */
  signer: PrivateKeyAccount
  feeReceiver: Address
  read<Result>(functionName: string, args?: readonly unknown[]): Promise<Result>
  /** A transaction from `as`, the owner unless said; throws when it reverts. */
  write(
    functionName: string,
    args?: readonly unknown[],
    options?: { value?: bigint; as?: Address },
  ): Promise<void>
  /** Why a call from `as` would revert: the name of the error, or its text; `undefined` if it would not. */
  refusal(functionName: string, args: readonly unknown[], as: Address): Promise<string | undefined>
  /** wei at the EntryPoint. */
  deposit(): Promise<bigint>
}

export const newKey = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey())

/** Deployed through the deterministic deployer, with `deposit` wei at the EntryPoint; a sponsor's own if shared. */
export async function testPaymaster(
  chain: AccountChain,
  kind: PaymasterPlan['kind'],
  version: EntryPointVersion,
  deposit = parseEther('1'),
): Promise<TestPaymaster> {
  const [owner, signer, feeReceiver] = [newKey(), newKey(), newKey().address]
  const parts = { owner: owner.address, signer: signer.address, feeReceiver }
  const plan: PaymasterPlan =
    kind === 'sponsor' ? { kind, version: '0.6', owner: owner.address } : { kind, version, ...parts }
  const { address, to, data } = paymasterDeployment(plan)
  await transact(chain, to, data)
  for (const key of [owner, signer])
    await rpc(chain.url, 'anvil_setBalance', [key.address, '0x56bc75e2d63100000'])
  const abi: Abi = abis[kind][version]
  const paymaster: TestPaymaster = {
    plan,
    address,
    owner,
    signer,
    feeReceiver,
    read: (functionName, args = []) => readContract(chain, address, abi, functionName, args),
    write: (functionName, args = [], { value = 0n, as = owner.address } = {}) =>
      transact(chain, address, encodeFunctionData({ abi, functionName, args }), { value, as }),
    refusal: async (functionName, args, as) => {
      const reverted = await reverts(chain, as, address, encodeFunctionData({ abi, functionName, args }))
      if (reverted === undefined) return undefined
      const error = decodeErrorResult({ abi, data: reverted })
      return error.errorName === 'Error' ? String(error.args?.[0]) : error.errorName
    },
    deposit: () => depositOf(chain, version, address),
  }
  if (kind === 'sponsor') await paymaster.write('depositFor', [signer.address], { value: deposit })
  else if (deposit > 0n) await paymaster.write('deposit', [], { value: deposit })
  return paymaster
}

/** wei that the EntryPoint holds for `address`. */
export function depositOf(
  chain: AccountChain,
  version: EntryPointVersion,
  address: Address,
): Promise<bigint> {
  const entryPoint = entryPoints[version]
  return readContract(chain, entryPoint.address, entryPoint.abi, 'balanceOf', [address])
}

export async function readContract<Result>(
  chain: AccountChain,
  to: Address,
  abi: Abi,
  functionName: string,
  args: readonly unknown[] = [],
): Promise<Result> {
  const data = encodeFunctionData({ abi, functionName, args })
  const returned = await rpc<Hex>(chain.url, 'eth_call', [{ to, data }, 'latest'])
  return decodeFunctionResult({ abi, functionName, args, data: returned }) as Result
}

/** An account that is deployed and has no coins left: a paymaster has to pay. */
export async function pennilessAccount(
  chain: AccountChain,
  version: EntryPointVersion,
): Promise<TestAccount> {
  const account = await simpleAccount(chain, version)
  await deployAccount(chain, account)
  await rpc(chain.url, 'anvil_setBalance', [account.address, '0x0'])
  return account
}

/** An operation that nobody has signed yet, of a deployed account, with the paymaster's data as it is given. */
export async function unsignedOperation(
  chain: AccountChain,
  account: TestAccount,
  paymaster: TestPaymaster,
  paymasterData: Hex,
  changes: Partial<UserOperation> = {},
): Promise<UserOperation> {
  const later = account.version !== '0.6'
  return signedOperation(chain, account, {
    nonce: await nonceOf(chain, account),
    factory: undefined,
    factoryData: '0x',
    callData: '0x',
    verificationGasLimit: 200_000n,
    paymaster: paymaster.address,
    paymasterVerificationGasLimit: later ? 200_000n : 0n,
    paymasterPostOpGasLimit: later ? 100_000n : 0n,
    paymasterData,
    ...changes,
  })
}

export async function nonceOf(chain: AccountChain, account: TestAccount): Promise<bigint> {
  const { address, abi } = entryPoints[account.version]
  return readContract(chain, address, abi, 'getNonce', [account.address, 0n])
}

/** The paymaster's signature by `signer`, for `chainId`. */
export async function approve(
  op: UserOperation,
  signer: PrivateKeyAccount,
  chainId: number,
): Promise<UserOperation> {
  const signature = await signer.signMessage({ message: { raw: paymasterHash(op, chainId) } })
  return { ...op, paymasterData: withSignature(op.paymasterData, signature) }
}

/** An operation signed by the paymaster's signer, then by the account's owner. */
export async function paidOperation(
  chain: AccountChain,
  account: TestAccount,
  paymaster: TestPaymaster,
  paymasterData: Hex,
  changes: Partial<UserOperation> = {},
): Promise<UserOperation> {
  const op = await unsignedOperation(chain, account, paymaster, paymasterData, changes)
  return sign(chain, account, await approve(op, paymaster.signer, chain.chainId))
}

export type Handled = {
  receipt: TransactionReceipt
  /** One a UserOperationEvent, in order. */
  operations: {
    userOpHash: Hash
    sender: Address
    paymaster: Address
    success: boolean
    actualGasCost: bigint
    actualGasUsed: bigint
  }[]
}

/** handleOps as a transaction of a relayer. Throws when the bundle reverts. */
export async function handleOps(chain: AccountChain, ops: readonly UserOperation[]): Promise<Handled> {
  const version = versionOf(ops)
  const receipt = await minedBundle(chain, ops)
  if (receipt.status !== 'success') throw new Error(`the bundle reverted: ${await refusal(chain, ops)}`)
  const events = logsOf(receipt.logs, entryPoints[version].abi, 'UserOperationEvent')
  return { receipt, operations: events as Handled['operations'] }
}

/** The arguments of each event of that name, in order. */
export function logsOf(logs: Log[], abi: Abi, eventName: string): Record<string, unknown>[] {
  return parseEventLogs({ abi, logs, eventName }).map(
    (event) => (event as unknown as { args: Record<string, unknown> }).args,
  )
}

/** The events of our paymasters, in order. */
export function paymasterLogs(
  paymaster: TestPaymaster,
  { receipt }: Handled,
  eventName = 'UserOperationSponsored',
): Record<string, unknown>[] {
  const abi = abis[paymaster.plan.kind][paymaster.plan.version]
  const own = receipt.logs.filter((log) => log.address === paymaster.address.toLowerCase())
  return logsOf(own, abi, eventName)
}

/** Why handleOps would revert: the AA code's text, and for 0.7 on the paymaster's own; `undefined` if it would not. */
export async function refusal(
  chain: AccountChain,
  ops: readonly UserOperation[],
): Promise<string | undefined> {
  const version = versionOf(ops)
  const { address, abi } = entryPoints[version]
  const data = await reverts(chain, relayer.address, address, encodeHandleOps(version, ops, relayer.address))
  if (data === undefined) return undefined
  const { args = [] } = decodeErrorResult({ abi, data })
  const [, reason, inner] = args as [bigint, string, Hex | undefined]
  return inner === undefined ? reason : `${reason}: ${text(inner)}`
}

/** What a call reverts with; `undefined` when it does not. */
async function reverts(chain: AccountChain, from: Address, to: Address, data: Hex): Promise<Hex | undefined> {
  const response = await fetch(chain.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_call',
      params: [{ from, to, data, gas: '0x989680' }, 'latest'],
    }),
  })
  const { error } = (await response.json()) as { error?: { data?: Hex; message: string } }
  if (error !== undefined && error.data === undefined) throw new Error(error.message)
  return error?.data
}

function text(data: Hex): string {
  try {
    return String(decodeErrorResult({ abi: [], data }).args?.[0])
  } catch {
    return data
  }
}

function versionOf(ops: readonly UserOperation[]): EntryPointVersion {
  const [first] = ops
  if (first === undefined) throw new Error('a bundle has operations')
  return first.version
}
