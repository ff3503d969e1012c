import {
  type Abi,
  type AbiFunction,
  type AccessList,
  type Address,
  encodeFunctionData,
  getAbiItem,
  type Hash,
  type Hex,
  isAddressEqual,
  pad,
} from 'viem'
import { describe } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { entryPoints, userOperationHash } from '../types/entrypoint.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import type { PoolEntry } from '../types/ports/pool.ts'
import type { Conditions } from '../types/ports/submitter.ts'
import { paymasterOf, type UserOperation } from '../types/userop.ts'
import { requiredPrefund } from '../types/userop-cost.ts'

/**
 * Storage slots that a sequencer compares for one transaction, at most: op-geth's TransactionConditionalMaxCost is
 * 1000, of which the time range takes one.
 */
const mostSlots = 999

type Slot = { address: Address; slot: Hex }

/** What a bundle of some of the operations that were asked about depends on. */
export type ConditionsOf = (entries: readonly PoolEntry[]) => Conditions

/**
 * Reads what the validation of operations depends on: the storage outside the EntryPoint that account and paymaster
 * read, each called as the EntryPoint calls it. Read it before the bundle is checked, so that nothing changes in
 * between unseen. What a node cannot tell is no condition: the check of the bundle has to do.
 */
export async function readConditions(
  ops: readonly UserOperation[],
  { node, chainId, log }: { node: NodeClient; chainId: number; log: Log },
): Promise<ConditionsOf> {
  const slots = new Map(await Promise.all(ops.map(async (op) => [op, await slotsOf(op)] as const)))
  const values = await readValues([...slots.values()].flat())

  return (entries) => {
    const knownAccounts: Record<Address, Record<Hex, Hex>> = {}
    const read = entries.flatMap(({ op }) => slots.get(op) ?? [])
    const different = new Map(read.map((each) => [keyOf(each), each])).values()
    for (const each of different.take(mostSlots)) {
      const value = values.get(keyOf(each))
      if (value === undefined) continue
      const known = knownAccounts[each.address] ?? {}
      knownAccounts[each.address] = known
      known[each.slot] = value
    }
    const ends = entries.flatMap(({ facts }) => facts.validUntil ?? [])
    return ends.length === 0 ? { knownAccounts } : { knownAccounts, timestampMax: Math.min(...ends) }
  }

  async function slotsOf(op: UserOperation): Promise<readonly Slot[]> {
    const { address: entryPoint } = entryPoints[op.version]
    try {
      const lists = await Promise.all(validationCalls(op, chainId).map(accessListOf))
      return lists
        .flat()
        .filter(({ address }) => !isAddressEqual(address, entryPoint))
        .flatMap(({ address, storageKeys }) => storageKeys.map((slot) => ({ address, slot })))
    } catch (error) {
      log.info('operation goes without conditions', { sender: op.sender, error: describe(error) })
      return []
    }
  }

  async function accessListOf(call: { [field: string]: Hex }): Promise<AccessList> {
    const { accessList } = await node.request<{ accessList: AccessList }>('eth_createAccessList', [
      call,
      'latest',
    ])
    return accessList
  }

  async function readValues(all: readonly Slot[]): Promise<ReadonlyMap<string, Hex>> {
    const different = new Map(all.map((each) => [keyOf(each), each]))
    const values = new Map<string, Hex>()
    await Promise.all(
      [...different].map(async ([key, { address, slot }]) => {
        try {
          const value = await node.request<Hex>('eth_getStorageAt', [address, slot, 'latest'])
          values.set(key, pad(value, { size: 32 }))
        } catch (error) {
          log.info('storage goes without condition', { address, slot, error: describe(error) })
        }
      }),
    )
    return values
  }
}

function keyOf({ address, slot }: Slot): string {
  return `${address}:${slot}`
}

/** The calls by which the EntryPoint has an operation validated. A paymaster sees the highest cost there is. */
function validationCalls(op: UserOperation, chainId: number): { [field: string]: Hex }[] {
  const { address: from } = entryPoints[op.version]
  const hash = userOperationHash(op, chainId)
  const paymaster = paymasterOf(op)
  const account = {
    ...{ from, to: op.sender },
    data: encodeValidation('validateUserOp', op, hash, 0n),
  }
  if (paymaster === undefined) return [account]
  const data = encodeValidation('validatePaymasterUserOp', op, hash, requiredPrefund(op))
  return [account, { from, to: paymaster, data }]
}

function encodeValidation(
  functionName: 'validateUserOp' | 'validatePaymasterUserOp',
  op: UserOperation,
  hash: Hash,
  wei: bigint,
): Hex {
  const { abi, pack } = entryPoints[op.version]
  const { inputs } = getAbiItem({ abi, name: 'getUserOpHash' }) as AbiFunction
  const item: AbiFunction = {
    ...{ type: 'function', name: functionName, stateMutability: 'nonpayable', outputs: [] },
    inputs: [...inputs, { type: 'bytes32', name: 'userOpHash' }, { type: 'uint256', name: 'wei' }],
  }
  const only: Abi = [item]
  return encodeFunctionData({ abi: only, functionName, args: [pack(op), hash, wei] })
}
