import type { Hex } from 'viem'
import { type Word, wordOf } from '../../evm/word.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'

import { contextSizeIn } from '../rules/collector.ts'
import { type PhaseStart, phaseStartOf } from '../rules/entry-point-frames.ts'
import type { HashedOwner, OperationFacts, Parties, PhaseFacts } from '../rules/facts.ts'
import { createPhaseRecord } from '../rules/phase-record.ts'
import { bytesOfHex } from '../state/hex.ts'
import { noteFrame } from './note-frame.ts'
import { runningFrames } from './running-frames.ts'
import type { Trace, TraceFrame } from './trace.ts'

/** What a trace alone tells of an operation: neither code nor gas of its EntryPoint are in it. */
export type TracedOperation = Omit<OperationFacts, 'codes' | 'gas'>

/** `operations` in the order of the call: one of simulateValidation, all of handleOps. */
export type TracedCall = { version: EntryPointVersion; operations: readonly Parties[] }

/** The facts of those operations whose validation began, in order, as the collector takes them from our own EVM. */
export function operationsOfTrace(
  { version, operations }: TracedCall,
  trace: Trace,
  { keccak }: { keccak: (bytes: Uint8Array) => Word },
): readonly TracedOperation[] {
  const found: { parties: Parties; phases: PhaseFacts[]; contextSize: number }[] = []
  let validated = 0
  for (const frame of trace.root.calls) {
    const start = phaseStartOf(version, { input: bytesOfHex(frame.input) })
    if (start === undefined) continue
    const index = start.entity === 'paymaster' ? validated - 1 : validated
    const parties = operations[index]
    const address = parties?.[start.entity]
    if (parties === undefined || address === undefined) continue
    const operation = found[index] ?? { parties, phases: [], contextSize: 0 }
    found[index] = operation
    operation.phases.push(phaseOf(frame, { ...start, address }, parties.entryPoint))
    if (start.isValidation) validated += 1
    if (start.entity === 'paymaster' && frame.error === undefined)
      operation.contextSize = contextSizeIn(bytesOfHex(frame.output))
  }
  return found.map((operation) => ({
    ...operation,
    hashed: hashedOwners(trace.preimages, operation.parties, keccak),
  }))
}

function phaseOf(
  frame: TraceFrame,
  { entity, entityDepth, address }: PhaseStart & { address: Word },
  entryPoint: Word,
): PhaseFacts {
  const phase = createPhaseRecord(entity, address)
  const entityFrames = entityDepth === 1 ? [frame] : frame.calls
  for (const entityFrame of entityFrames)
    for (const running of runningFrames(entityFrame)) noteFrame(running, phase, entryPoint)
  return phase.facts(frame.gasUsed)
}

/** characters of `0x` and of owner ‖ x, 32 bytes each, in ERC-7562's associated storage */
const ownerAndWord = 2 + 2 * 64

function hashedOwners(
  preimages: readonly Hex[],
  { account, factory, paymaster }: Parties,
  keccak: (bytes: Uint8Array) => Word,
): readonly HashedOwner[] {
  return preimages.flatMap((preimage) => {
    if (preimage.length !== ownerAndWord) return []
    const bytes = bytesOfHex(preimage)
    const owner = wordOf(bytes.subarray(0, 32))
    const isParty = owner === account || owner === factory || owner === paymaster
    return isParty ? [{ owner, hash: keccak(bytes) }] : []
  })
}
