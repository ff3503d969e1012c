import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { Grant } from './plan.ts'

/** A transaction that pays grants; `value` in wei. */
export type Transfer = { to: Address; data: Hex; value: bigint; grants: readonly Grant[] }

const abi = parseAbi([
  'struct Call { address target; bool allowFailure; uint256 value; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3Value(Call[] calls) payable returns (Result[])',
])

/**
 * The transactions that could pay `grants`, the best one first: all at once where there is a Multicall3, else each by
 * itself, of which one is sent at a time. All of a batch are paid or none: what a failed call leaves stays there.
 */
export function transfersOf(grants: readonly Grant[], multicall: Address | undefined): readonly Transfer[] {
  const single = grants.map((grant) => ({
    to: grant.address,
    data: '0x' as const,
    value: grant.amount,
    grants: [grant],
  }))
  if (multicall === undefined || grants.length < 2) return single
  const calls = grants.map(({ address, amount }) => ({
    target: address,
    allowFailure: false,
    value: amount,
    callData: '0x' as const,
  }))
  const data = encodeFunctionData({ abi, functionName: 'aggregate3Value', args: [calls] })
  return [{ to: multicall, data, value: sumOf(grants), grants }, ...single]
}

export const sumOf = (grants: readonly Grant[]): bigint =>
  grants.reduce((sum, { amount }) => sum + amount, 0n)
