import { type Hardfork, isActive } from '../../../src/evm/hardfork.ts'
import { operations } from '../../../src/evm/opcodes/table.ts'
import type { Word } from '../../../src/evm/word.ts'
import type { Random } from '../../support/random.ts'
import { type Assembler, assembler } from './assembler.ts'
import { edgeValue, pick, weighted } from './choices.ts'
import { precompileCall } from './precompile-calls.ts'

/** What a program may know of its surroundings. */
export type Surroundings = {
  readonly hardfork: Hardfork
  /** Whom it mostly calls: calls that end, as none of these calls back. */
  readonly callees: readonly Word[]
  /** Whom it seldom calls, itself among them. */
  readonly contracts: readonly Word[]
  /** How deep it may nest programs that it creates. */
  readonly nesting: number
}

/** A program in the making. `height` is a lower bound of the stack that it has wherever it can get to. */
type Draft = Assembler & { readonly source: Random; readonly surroundings: Surroundings; height: number }

/** Opcodes by how many items they take; each leaves one. */
const producers = [
  [
    0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x4a,
    0x58, 0x59, 0x5a, 0x5a, 0x5a,
  ],
  [0x15, 0x19, 0x31, 0x35, 0x3b, 0x3f, 0x40, 0x49, 0x54, 0x5c, 0x1e],
  [
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18,
    0x1a, 0x1b, 0x1c, 0x1d,
  ],
  [0x08, 0x09],
] as const

/** Opcodes of which the operands are better chosen than left to what lies on the stack. */
const [mload, mstore, mstore8, msize] = [0x51, 0x52, 0x53, 0x59]
const [keccak, callDataCopy, codeCopy, extCodeCopy, returnDataSize, returnDataCopy, mcopy] = [
  0x20, 0x37, 0x39, 0x3c, 0x3d, 0x3e, 0x5e,
]
const [sload, sstore, tload, tstore] = [0x54, 0x55, 0x5c, 0x5d]
const [create, call, callCode, return_, delegateCall, create2, staticCall, revert, invalid, selfDestruct] = [
  0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xfa, 0xfd, 0xfe, 0xff,
]
const [stop, isZero, jump, jumpIf, pop, gas, dup1, swap1, log0, sub] = [
  0x00, 0x15, 0x56, 0x57, 0x50, 0x5a, 0x80, 0x90, 0xa0, 0x03,
]

/** The most snippets of a program; those of blocks and loops count for themselves. */
const mostSnippets = 40

/** Rounds of a loop: a handful, as what is hard about loops shows in the second. */
const mostRounds = 5

export function randomProgram(source: Random, surroundings: Surroundings): Uint8Array {
  const draft: Draft = { ...assembler(), source, surroundings, height: 0 }
  const count = 1 + source.int(mostSnippets)
  for (let index = 0; index < count; index++) snippet(draft)
  if (source.chance(0.7)) finishing(draft)
  return draft.assemble()
}

function snippet(draft: Draft): void {
  weighted(draft.source, snippets)(draft)
}

const snippets: readonly (readonly [weight: number, write: (draft: Draft) => void])[] = [
  [20, pushing],
  [30, producing],
  [8, duplicating],
  [8, swapping],
  [4, popping],
  [14, usingMemory],
  [10, copying],
  [4, hashing],
  [26, usingStorage],
  [8, usingTransientStorage],
  [5, logging],
  [14, calling],
  [5, creating],
  [3, (draft) => precompileCall(draft)],
  [6, branching],
  [3, looping],
  [0.5, destroying],
  [0.4, finishing],
  [0.4, jumpingAnywhere],
  [0.3, misfitting],
]

function pushing(draft: Draft): void {
  draft.push(anyValue(draft))
  draft.height += 1
}

function producing(draft: Draft): void {
  const { source } = draft
  const pops = weighted(source, [
    [5, 0],
    [3, 1],
    [6, 2],
    [1, 3],
  ])
  need(draft, pops)
  draft.op(
    pick(
      source,
      (producers[pops] ?? []).filter((opcode) => isKnown(draft, opcode)),
    ),
  )
  draft.height += 1 - pops
}

/** Seldom is an opcode used that came later: it would end the program. */
function isKnown({ source, surroundings }: Draft, opcode: number): boolean {
  const since = introduced.get(opcode)
  return since === undefined || isActive(since, surroundings.hardfork) || source.chance(0.002)
}

const introduced = new Map(operations.map(({ opcode, since }) => [opcode, since]))

function duplicating(draft: Draft): void {
  need(draft, 1)
  draft.op(dup1 + draft.source.int(Math.min(16, draft.height)))
  draft.height += 1
}

function swapping(draft: Draft): void {
  need(draft, 2)
  draft.op(swap1 + draft.source.int(Math.min(16, draft.height - 1)))
}

function popping(draft: Draft): void {
  need(draft, 1)
  draft.op(pop)
  draft.height -= 1
}

function usingMemory(draft: Draft): void {
  const { source } = draft
  const kind = pick(source, [mload, mstore, mstore, mstore8])
  if (kind === mload) {
    pushOffset(draft)
    draft.op(mload)
    draft.height += 1
    return
  }
  if (draft.height > 0 && source.chance(0.7)) {
    draft.height -= 1
  } else {
    draft.push(anyValue(draft))
  }
  pushOffset(draft)
  draft.op(kind)
}

function copying(draft: Draft): void {
  const { source } = draft
  const kind = pick(source, [
    callDataCopy,
    codeCopy,
    extCodeCopy,
    returnDataCopy,
    returnDataCopy,
    isKnown(draft, mcopy) ? mcopy : codeCopy,
  ])
  if (kind === returnDataCopy && source.chance(0.8)) {
    // All of it; other ranges mostly end the frame.
    draft.op(returnDataSize)
    draft.push(0)
  } else {
    pushSize(draft)
    pushOffset(draft)
  }
  pushOffset(draft)
  if (kind === extCodeCopy) pushAddress(draft)
  draft.op(kind)
}

function hashing(draft: Draft): void {
  pushRange(draft)
  draft.op(keccak)
  draft.height += 1
}

function usingStorage(draft: Draft): void {
  const { source } = draft
  // Few slots and few values, so that they meet again: what SSTORE costs depends on three values of a slot.
  if (source.chance(0.6)) {
    draft.push(source.int(3))
    draft.push(source.int(4))
    draft.op(sstore)
    return
  }
  draft.push(source.int(4))
  draft.op(sload)
  draft.height += 1
}

function usingTransientStorage(draft: Draft): void {
  const { source } = draft
  if (!isKnown(draft, tload)) return
  if (source.chance(0.5)) {
    draft.push(source.int(3))
    draft.push(source.int(3))
    draft.op(tstore)
    return
  }
  draft.push(source.int(3))
  draft.op(tload)
  draft.height += 1
}

function logging(draft: Draft): void {
  const { source } = draft
  const topics = source.int(5)
  for (let topic = 0; topic < topics; topic++) draft.push(anyValue(draft))
  pushRange(draft)
  draft.op(log0 + topics)
}

function calling(draft: Draft): void {
  const { source } = draft
  const kind = pick(source, [call, call, call, callCode, delegateCall, delegateCall, staticCall])
  pushRange(draft)
  pushRange(draft)
  if (kind === call || kind === callCode) draft.push(source.chance(0.6) ? 0 : source.int(5))
  pushAddress(draft)
  pushGas(draft)
  draft.op(kind)
  draft.height += 1
}

function creating(draft: Draft): void {
  const { source, surroundings } = draft
  const { nesting } = surroundings
  if (nesting === 0) return
  const code = source.chance(0.9)
    ? creationCode(source, { ...surroundings, nesting: nesting - 1 })
    : Uint8Array.of(pick(source, [0xef, invalid, revert]))
  draft.pushData(code)
  draft.push(0)
  draft.op(codeCopy)
  const isSalted = source.chance(0.5)
  if (isSalted) draft.push(source.int(2))
  draft.push(code.length)
  draft.push(0)
  draft.push(source.chance(0.7) ? 0 : source.int(4))
  draft.op(isSalted ? create2 : create)
  draft.height += 1
  if (source.chance(0.5)) {
    // What was made is called at once.
    for (let operand = 0; operand < 5; operand++) draft.push(0)
    draft.op(dup1 + 5)
    draft.op(gas)
    draft.op(call)
    draft.height += 1
  }
}

/** Some steps of a constructor, then the code that it leaves: a program, or what may not be left. */
function creationCode(source: Random, surroundings: Surroundings): Uint8Array {
  const draft: Draft = { ...assembler(), source, surroundings, height: 0 }
  const count = source.int(8)
  for (let index = 0; index < count; index++) snippet(draft)
  const code = source.chance(0.95)
    ? randomProgram(source, surroundings)
    : Uint8Array.fromHex(pick(source, ['ef', 'ef00', 'ef0100', '']))
  draft.pushData(code)
  draft.push(0)
  draft.op(codeCopy)
  draft.push(code.length)
  draft.push(0)
  draft.op(source.chance(0.95) ? return_ : revert)
  return draft.assemble()
}

function branching(draft: Draft): void {
  const { source } = draft
  const end = draft.label()
  if (draft.height > 0 && source.chance(0.6)) {
    draft.height -= 1
  } else {
    draft.push(source.int(2))
  }
  if (source.chance(0.3)) draft.op(isZero)
  draft.pushLabel(end)
  draft.op(jumpIf)
  const before = draft.height
  body(draft)
  level(draft, before)
  draft.mark(end)
}

function looping(draft: Draft): void {
  const { source } = draft
  const start = draft.label()
  draft.push(1 + source.int(mostRounds))
  draft.height += 1
  draft.mark(start)
  const before = draft.height
  // What is below the counter may not be touched, or the next round finds another counter.
  draft.height = 0
  body(draft)
  level(draft, 0)
  draft.height = before
  draft.push(1)
  draft.op(swap1, sub, dup1)
  draft.pushLabel(start)
  draft.op(jumpIf)
}

function body(draft: Draft): void {
  const count = 1 + draft.source.int(5)
  for (let index = 0; index < count; index++) snippet(draft)
}

/** Takes the stack to `height`. */
function level(draft: Draft, height: number): void {
  while (draft.height > height) popping(draft)
  need(draft, height)
}

function destroying(draft: Draft): void {
  pushAddress(draft)
  draft.op(selfDestruct)
}

function finishing(draft: Draft): void {
  const { source } = draft
  const kind = pick(source, [return_, return_, return_, revert, stop, invalid])
  if (kind === return_ || kind === revert) pushRange(draft)
  draft.op(kind)
}

function jumpingAnywhere(draft: Draft): void {
  draft.push(draft.source.int(200))
  draft.op(jump)
}

/** What no sane compiler writes: unknown opcodes, too few items on the stack, far memory. */
function misfitting(draft: Draft): void {
  const { source } = draft
  draft.op(source.int(256))
}

function need(draft: Draft, height: number): void {
  while (draft.height < height) pushing(draft)
}

function anyValue({ source, surroundings }: Draft): bigint {
  return source.chance(0.15) ? address(source, surroundings) : edgeValue(source)
}

function pushAddress(draft: Draft): void {
  const { source, surroundings } = draft
  // The bytes above an address do not count.
  const noise = source.chance(0.05) ? source.uint(96) << 160n : 0n
  draft.push(address(source, surroundings) | noise)
}

function address(source: Random, { callees, contracts }: Surroundings): Word {
  return pick(source, source.chance(0.04) ? contracts : callees)
}

function pushGas(draft: Draft): void {
  const { source } = draft
  const kind = source.int(10)
  if (kind < 6) draft.op(gas)
  else if (kind < 9) draft.push(source.int(60_000))
  else draft.push(edgeValue(source))
}

function pushOffset(draft: Draft): void {
  const { source } = draft
  if (source.chance(0.05)) draft.op(msize)
  else draft.push(source.chance(0.002) ? edgeValue(source) : source.int(300))
}

function pushSize(draft: Draft): void {
  const { source } = draft
  draft.push(source.chance(0.002) ? edgeValue(source) : source.int(140))
}

/** Size, then offset on top. */
function pushRange(draft: Draft): void {
  pushSize(draft)
  pushOffset(draft)
}
