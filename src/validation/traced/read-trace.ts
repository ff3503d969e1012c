import type { Hex } from 'viem'
import { type Json, Unavailable } from '../../base/errors.ts'
import type { Word } from '../../evm/word.ts'
import { type FrameType, frameTypes, type MetContract, type Trace, type TraceFrame } from './trace.ts'

type Fields = { readonly [field: string]: Json | undefined }

/** Frames within frames: an EVM has 1024, below which a call that is refused is told as a frame too. */
const deepest = 1026

/** An answer that no tracer of ours gives: nobody's fault but the node's, and no verdict. */
export class MalformedTrace extends Unavailable {
  override readonly name = 'MalformedTrace'
}

/** What a node answered for erc7562Tracer, or for our own tracer. @throws MalformedTrace */
export function readTrace(answer: Json): Trace {
  const root = record(answer)
  if (typeof root.failure === 'string') throw new MalformedTrace(`tracer failed: ${root.failure}`)
  return { root: frameOf(root, 0), preimages: list(root.keccak ?? []).map(bytes) }
}

function frameOf(frame: Fields, depth: number): TraceFrame {
  if (depth > deepest) throw malformed('depth')
  const slots = record(frame.accessedSlots)
  return {
    type: typeOf(frame.type),
    from: word(frame.from),
    to: frame.to === undefined ? undefined : word(frame.to),
    value: frame.value === undefined ? 0n : word(frame.value),
    input: bytes(frame.input),
    output: bytes(frame.output ?? '0x'),
    gasUsed: Number(word(frame.gasUsed)),
    error: frame.error === undefined ? undefined : text(frame.error),
    outOfGas: flag(frame.outOfGas),
    reads: keysOf(slots.reads),
    writes: keysOf(slots.writes),
    transientReads: keysOf(slots.transientReads),
    transientWrites: keysOf(slots.transientWrites),
    opcodes: new Map(
      Object.entries(record(frame.usedOpcodes)).map(([opcode, count]) => [
        Number(word(opcode)),
        integer(count),
      ]),
    ),
    looksAtCode: list(frame.extCodeAccessInfo).map(word),
    contracts: Object.entries(record(frame.contractSize)).map(contractOf),
    calls: list(frame.calls ?? []).map((call) => frameOf(record(call), depth + 1)),
  }
}

function contractOf([address, met]: [string, Json | undefined]): MetContract {
  const { contractSize, opcode } = record(met)
  return { address: word(address), codeSize: integer(contractSize), opcode: integer(opcode) }
}

function typeOf(value: Json | undefined): FrameType {
  const type = frameTypes.find((known) => known === value)
  if (type === undefined) throw malformed('type')
  return type
}

const keysOf = (value: Json | undefined): readonly Word[] => Object.keys(record(value)).map(word)

function record(value: Json | undefined): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed('object')
  return value as Fields
}

function list(value: Json | undefined): readonly Json[] {
  if (!Array.isArray(value)) throw malformed('list')
  return value
}

function word(value: Json | undefined): Word {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value)) throw malformed('number')
  return BigInt(value)
}

function bytes(value: Json | undefined): Hex {
  if (typeof value !== 'string' || value.length % 2 === 1 || !/^0x[0-9a-f]*$/i.test(value))
    throw malformed('bytes')
  return value as Hex
}

function text(value: Json): string {
  if (typeof value !== 'string') throw malformed('text')
  return value
}

function flag(value: Json | undefined): boolean {
  if (typeof value !== 'boolean') throw malformed('flag')
  return value
}

function integer(value: Json | undefined): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw malformed('count')
  return value
}

function malformed(expected: string): MalformedTrace {
  return new MalformedTrace(`a node's trace has no ${expected} where one belongs`)
}
