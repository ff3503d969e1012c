import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem'
import artifact from './EntryPointProbe.json'

/** Code for the EntryPoint's address: `EntryPointProbe.sol`. */
export const probeCode = artifact.deployedBytecode as Hex

/** Where the probe expects the EntryPoint's own code. */
export const probeImplementation: Address = '0x7A4DE6B8c1F0a93e52D76B0849CA1E3f58d2b700'

/** A call that the probe makes as the EntryPoint. */
export type ProbeCall = { target: Address; gasLimit: bigint; data: Hex }

/** `gasUsed` is what the call cost its caller, the call itself included. */
export type ProbeOutcome = { success: boolean; gasUsed: bigint; returned: Hex }

const probeAbi = parseAbi([
  'struct Call { address target; uint256 gasLimit; bytes data; }',
  'struct Outcome { bool success; uint256 gasUsed; bytes returned; }',
  'function probe(Call[] calls) returns (Outcome[])',
])

export function encodeProbe(calls: readonly ProbeCall[]): Hex {
  return encodeFunctionData({ abi: probeAbi, functionName: 'probe', args: [calls] })
}

/** One outcome a call, in order. After the first failure the rest was not made: it has cost nothing. */
export function decodeProbe(data: Hex): readonly ProbeOutcome[] {
  return decodeFunctionResult({ abi: probeAbi, functionName: 'probe', data })
}
