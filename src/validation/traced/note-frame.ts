import type { Hex } from 'viem'
import { type Word, wordOf } from '../../evm/word.ts'

import { selectorIn } from '../rules/entry-point-frames.ts'
import { balanceOpcodes, codeOpcodes, environmentOpcodes, opcodes } from '../rules/opcodes.ts'
import type { PhaseRecord } from '../rules/phase-record.ts'
import { createdAddress, isCreation, type RunningFrame } from './running-frames.ts'
import type { TraceFrame } from './trace.ts'
import { unassignedIn } from './unassigned.ts'

/**
 * Adds to a phase what a frame of it did. The EntryPoint is trusted, also where an entity calls it; but how much gas it
 * is given is its caller's choice.
 */
export function noteFrame(running: RunningFrame, phase: PhaseRecord, entryPoint: Word): void {
  noteEnd(running, phase)
  if (running.by === entryPoint) return
  noteOpcodes(running, phase)
  noteStorage(running, phase)
  noteCreations(running, phase)
  noteContracts(running, phase, entryPoint)
  noteCalls(running, phase, entryPoint)
}

function noteOpcodes({ frame, by }: RunningFrame, phase: PhaseRecord): void {
  for (const opcode of frame.opcodes.keys()) {
    if (environmentOpcodes.has(opcode) || balanceOpcodes.has(opcode) || opcode === opcodes.GAS)
      phase.opcode(opcode, by)
  }
}

function noteStorage({ frame, by }: RunningFrame, phase: PhaseRecord): void {
  for (const slot of frame.reads) phase.storage(by, slot, 'isRead', 'persistent')
  for (const slot of frame.writes) phase.storage(by, slot, 'isWritten', 'persistent')
  for (const slot of frame.transientReads) phase.storage(by, slot, 'isRead', 'transient')
  for (const slot of frame.transientWrites) phase.storage(by, slot, 'isWritten', 'transient')
}

/** A creation that never got to a frame of its own is known from the count of its opcode alone. */
function noteCreations({ frame, by }: RunningFrame, phase: PhaseRecord): void {
  for (const [opcode, type] of [
    [opcodes.CREATE, 'CREATE'],
    [opcodes.CREATE2, 'CREATE2'],
  ] as const) {
    const made = frame.calls.filter((call) => isCreation(call) && call.type === type)
    for (const creation of made) {
      phase.creation(opcode, by)
      const created = createdAddress(creation)
      if (created !== undefined) phase.created(created)
    }
    const counted = frame.opcodes.get(opcode) ?? 0
    for (let lost = made.length; lost < counted; lost += 1) phase.creation(opcode, by)
  }
}

function noteContracts({ frame, by }: RunningFrame, phase: PhaseRecord, entryPoint: Word): void {
  for (const { address, codeSize, opcode } of frame.contracts)
    phase.use({ opcode, by, address, hasCode: codeSize > 0 })

  const metAt = new Map(frame.contracts.map((contract) => [contract.address, contract]))
  const withoutInput = { inputSize: 0, selector: 0, argument: 0n }
  for (const address of frame.looksAtCode) {
    const met = metAt.get(address)
    // The trace counts these looks, and names only the opcode that met the address first.
    const opcode = met !== undefined && codeOpcodes.has(met.opcode) ? met.opcode : opcodes.EXTCODESIZE
    // geth tells a look that a frame ended with of its caller, too, which need not have met the address.
    if (met !== undefined) phase.use({ opcode, by, address, hasCode: met.codeSize > 0 })
    if (address === entryPoint) phase.entryPointUse({ opcode, by, isZeroCheck: false, ...withoutInput })
  }
  const isLookedAt = frame.looksAtCode.includes(entryPoint)
  if (!isLookedAt && metAt.get(entryPoint)?.opcode === opcodes.EXTCODESIZE)
    phase.entryPointUse({ opcode: opcodes.EXTCODESIZE, by, isZeroCheck: true, ...withoutInput })
}

function noteCalls({ frame, by }: RunningFrame, phase: PhaseRecord, entryPoint: Word): void {
  for (const { type, to, value, input } of frame.calls) {
    if (type === 'SELFDESTRUCT' || type === 'CREATE' || type === 'CREATE2' || to === undefined) continue
    const opcode = opcodes[type]
    if (to === entryPoint) phase.entryPointUse({ opcode, by, isZeroCheck: false, ...headOf(input) })
    else if (value > 0n && (type === 'CALL' || type === 'CALLCODE')) phase.valueCall({ opcode, by, to })
  }
}

/** bytes of a selector and of the argument behind it */
const selectorSize = 4
const headSize = selectorSize + 32

function headOf(input: Hex): { inputSize: number; selector: number; argument: Word } {
  const head = new Uint8Array(headSize)
  head.set(Uint8Array.fromHex(input.slice(2, 2 + 2 * headSize)))
  const inputSize = (input.length - 2) / 2
  return { inputSize, selector: selectorIn(head), argument: wordOf(head.subarray(selectorSize)) }
}

/** How nodes say that a frame found no room on the call stack: geth and those like it; revm. */
const tooDeep = /max call depth|call ?too ?deep/i

function noteEnd({ frame, by }: RunningFrame, phase: PhaseRecord): void {
  if (frame.error === undefined) return
  if (isOutOfGas(frame)) phase.exhausted(by)
  if (tooDeep.test(frame.error)) phase.exhausted(frame.from)
  for (const opcode of unassignedIn(frame)) phase.unassigned(opcode, by)
}

/** geth tells an operand that no gas could pay apart from other ways to run out. */
function isOutOfGas({ outOfGas, error = '' }: TraceFrame): boolean {
  return outOfGas || error.includes('gas uint64 overflow')
}
