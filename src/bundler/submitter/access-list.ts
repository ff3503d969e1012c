import { type AccessList, type Address, type Hex, numberToHex } from 'viem'
import { describe, Unavailable } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { withDeadline } from '../../base/queue.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { BundleOrder } from '../../types/ports/submitter.ts'

/** gas of an entry before execution (EIP-2930); what is then read costs that much less, and 100 less than without. */
const addressGas = 2400n
const slotGas = 1900n

/** ms; a bundle does not miss its block for a list that saves it some gas. */
const deadline = 1000

/** What a bundle reads, as the node's `eth_createAccessList` tells it, and the gas that it takes before execution. */
export type BundleAccessList = { accessList: AccessList; gas: bigint }

/**
 * The access list of a bundle; `undefined` where the node makes none in time, or where it would take more gas than a
 * transaction may ask for: the bundle goes without.
 */
export async function readAccessList(
  { relayer, to, data, gasLimit }: Pick<BundleOrder, 'relayer' | 'to' | 'data' | 'gasLimit'>,
  { node, transactionGasCap, log }: { node: NodeClient; transactionGasCap: bigint; log: Log },
): Promise<BundleAccessList | undefined> {
  const call = { from: relayer, to, data, gas: numberToHex(gasLimit) }
  try {
    const accessList = await withDeadline(
      createAccessList(node, call),
      deadline,
      () => new Unavailable('the node made no access list in time'),
    )
    const gas = accessList.reduce(
      (sum, { storageKeys }) => sum + addressGas + slotGas * BigInt(storageKeys.length),
      0n,
    )
    return gasLimit + gas <= transactionGasCap ? { accessList, gas } : undefined
  } catch (error) {
    log.warn('bundle goes without an access list', { error: describe(error) })
    return undefined
  }
}

type Call = { from: Address; to: Address; data: Hex; gas?: Hex }

/** @throws NodeError, Unavailable */
export async function createAccessList(node: NodeClient, call: Call): Promise<AccessList> {
  const { accessList } = await node.request<{ accessList: AccessList }>('eth_createAccessList', [
    call,
    'latest',
  ])
  return accessList
}
