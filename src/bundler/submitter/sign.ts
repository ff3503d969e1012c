import {
  type AccessList,
  type Address,
  type Hash,
  keccak256,
  type PrivateKeyAccount,
  parseTransaction,
  type SignedAuthorization,
  type TransactionSerializable,
} from 'viem'
import { recoverAuthorizationAddress } from 'viem/utils'
import type { BundleOrder, JournaledTransaction } from '../../types/ports/submitter.ts'
import type { BundleAccessList } from './access-list.ts'
import type { Fees } from './bump.ts'

type Place = Pick<JournaledTransaction, 'chainId' | 'bundleId' | 'nonce' | 'kind' | 'createdAt'>

/** The first version of a bundle. */
export async function signBundle(
  account: PrivateKeyAccount,
  order: BundleOrder,
  { nonce, createdAt, list }: Pick<Place, 'nonce' | 'createdAt'> & { list: BundleAccessList | undefined },
): Promise<JournaledTransaction> {
  const { chainId, bundleId, to, data, value = 0n, gasLimit, fees } = order
  const authorizationList = await onePerAuthority(order.authorizations)
  const body = { chainId, nonce, to, data, value, gas: gasLimit + (list?.gas ?? 0n) }
  const accessList = list?.accessList ?? []
  const transaction: TransactionSerializable =
    authorizationList.length > 0
      ? { ...body, type: 'eip7702', authorizationList, accessList, ...dynamicFees(fees) }
      : { ...body, ...priced(fees, accessList) }
  return sign(account, transaction, fees, { chainId, bundleId, nonce, kind: 'bundle', createdAt })
}

/** The same transaction with other fees. */
export function signReplacement(
  account: PrivateKeyAccount,
  last: JournaledTransaction,
  { fees, createdAt }: { fees: Fees; createdAt: number },
): Promise<JournaledTransaction> {
  const {
    chainId,
    nonce,
    to,
    data,
    value = 0n,
    gas,
    type,
    authorizationList,
    accessList = [],
  } = parseTransaction(last.raw)
  const body = { chainId: chainId ?? last.chainId, nonce: nonce ?? 0, to, data, value, gas }
  const transaction: TransactionSerializable =
    type === 'eip7702'
      ? { ...body, type, authorizationList: authorizationList ?? [], accessList, ...dynamicFees(fees) }
      : { ...body, ...priced(fees, accessList) }
  return sign(account, transaction, fees, { ...last, createdAt })
}

/** Nothing to oneself: it only uses up the nonce. */
export function signCancellation(
  account: PrivateKeyAccount,
  place: Omit<Place, 'kind'>,
  { fees, gas }: { fees: Fees; gas: bigint },
): Promise<JournaledTransaction> {
  const { chainId, nonce } = place
  const transaction = { chainId, nonce, to: account.address, value: 0n, gas, ...priced(fees, []) }
  return sign(account, transaction, fees, { ...place, kind: 'cancel' })
}

async function sign(
  account: PrivateKeyAccount,
  transaction: TransactionSerializable,
  { legacy, maxFeePerGas, maxPriorityFeePerGas }: Fees,
  { chainId, bundleId, nonce, kind, createdAt }: Place,
): Promise<JournaledTransaction> {
  const raw = await account.signTransaction(transaction)
  return {
    chainId,
    bundleId,
    relayer: account.address,
    nonce,
    hash: keccak256(raw) as Hash,
    raw,
    maxFeePerGas,
    maxPriorityFeePerGas: legacy ? maxFeePerGas : maxPriorityFeePerGas,
    kind,
    createdAt,
  }
}

/** Chains with one gas price may not know of access lists: there is none. */
function priced(fees: Fees, accessList: AccessList) {
  return fees.legacy
    ? { type: 'legacy' as const, gasPrice: fees.maxFeePerGas }
    : { type: 'eip1559' as const, accessList, ...dynamicFees(fees) }
}

function dynamicFees({ maxFeePerGas, maxPriorityFeePerGas }: Fees) {
  return { maxFeePerGas, maxPriorityFeePerGas }
}

/** EIP-7702 applies a list in order and a second tuple of the same authority would be stale: the first one stays. */
async function onePerAuthority(
  authorizations: readonly SignedAuthorization[],
): Promise<SignedAuthorization[]> {
  const byAuthority = new Map<Address, SignedAuthorization>()
  for (const authorization of authorizations) {
    const authority = await recoverAuthorizationAddress({ authorization })
    if (!byAuthority.has(authority)) byAuthority.set(authority, authorization)
  }
  return [...byAuthority.values()]
}
