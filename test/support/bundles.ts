import {
  type Address,
  createWalletClient,
  type Hash,
  type Hex,
  http,
  parseEventLogs,
  publicActions,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  withRetry,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { encodeHandleOps, entryPoints } from '../../src/types/entrypoint.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { type AccountChain, fund, signedOperation, type TestAccount } from './accounts.ts'
import { rpc } from './devChain.ts'

export const relayer = privateKeyToAccount(anvilKeys[1])

/** gas used by the whole transaction, and gas and success of each operation as its event tells. */
export type MinedBundle = {
  gasUsed: bigint
  succeeded: boolean
  operations: { success: boolean; actualGasUsed: bigint }[]
}

/** Sends a bundle from a relayer of its own, with the senders' authorizations, and waits until it is mined. */
export async function sendBundle(
  chain: AccountChain,
  ops: readonly UserOperation[],
  options: { gas?: bigint; beneficiary?: Address } = {},
): Promise<MinedBundle> {
  const receipt = await minedBundle(chain, ops, options)
  const abi = ops[0] && entryPoints[ops[0].version].abi
  const events = parseEventLogs({ abi: abi ?? [], logs: receipt.logs, eventName: 'UserOperationEvent' })
  return {
    gasUsed: receipt.gasUsed,
    succeeded: receipt.status === 'success',
    operations: events.map((event) => (event as unknown as { args: MinedBundle['operations'][number] }).args),
  }
}

/** The receipt of such a bundle, reverted or not. */
export async function minedBundle(
  chain: AccountChain,
  ops: readonly UserOperation[],
  options: { gas?: bigint; beneficiary?: Address } = {},
): Promise<TransactionReceipt> {
  const [first] = ops
  if (first === undefined) throw new Error('a bundle has operations')
  const wallet = walletOf(chain)
  const authorizationList = ops.flatMap(({ eip7702Auth }) => eip7702Auth ?? [])
  const hash = await wallet.sendTransaction({
    chain: null,
    to: entryPoints[first.version].address,
    data: encodeHandleOps(first.version, ops, options.beneficiary ?? relayer.address),
    gas: options.gas ?? 10_000_000n,
    ...(authorizationList.length > 0 ? { authorizationList } : {}),
  })
  return mined(wallet, hash)
}

/** Deploys a contract and gives its address. */
export async function deploy(chain: AccountChain, initCode: Hex): Promise<Address> {
  const wallet = walletOf(chain)
  const hash = await wallet.sendTransaction({ chain: null, data: initCode, gas: 8_000_000n })
  const { contractAddress } = await mined(wallet, hash)
  if (!contractAddress) throw new Error('nothing was deployed')
  return contractAddress
}

/** Sends `data` to a contract, from the relayer or as whoever is impersonated, and waits until it is mined. */
export async function transact(
  chain: AccountChain,
  to: Address,
  data: Hex,
  { value = 0n, as }: { value?: bigint; as?: Address } = {},
): Promise<void> {
  if (as !== undefined) await rpc(chain.url, 'anvil_impersonateAccount', [as])
  const wallet = walletOf(chain, as)
  const hash = await wallet.sendTransaction({ chain: null, to, data, value })
  const { status } = await mined(wallet, hash)
  if (status !== 'success') throw new Error('the transaction reverted')
}

/** Funds a counterfactual account and deploys it by its first operation: its next nonce is 1. */
export async function deployAccount(chain: AccountChain, account: TestAccount): Promise<void> {
  await fund(chain, account.address)
  await sendBundle(chain, [await signedOperation(chain, account, { callData: '0x' })])
}

/** The receipt, as soon as there is one. viem's own wait misses a block that is mined while it looks, and waits on. */
function mined(wallet: ReturnType<typeof walletOf>, hash: Hash): Promise<TransactionReceipt> {
  return withRetry(() => wallet.getTransactionReceipt({ hash }), {
    delay: 10,
    retryCount: 3_000,
    shouldRetry: ({ error }) => error instanceof TransactionReceiptNotFoundError,
  })
}

function walletOf(chain: AccountChain, as?: Address) {
  return createWalletClient({
    account: as ?? relayer,
    transport: http(chain.url),
    pollingInterval: 10,
  }).extend(publicActions)
}
