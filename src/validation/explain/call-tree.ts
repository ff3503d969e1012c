import type { FrameView, Observer } from '../../evm/observer.ts'
import type { Outcome } from '../../evm/outcome.ts'
import type { CallNode } from '../../types/explanation.ts'
import { decodeRevert } from '../revert.ts'
import { addressOf } from '../rules/finding.ts'
import { decodeCall } from './decode-call.ts'

/** Nodes of a tree: hostile code makes as many calls as its gas pays for. */
const mostCalls = 1_000
/** bytes of an input or output that are told: an operation of usual size fits */
const mostBytes = 4_096

export type CallTree = {
  readonly observer: Observer
  /** The outermost call with what it asked for, once the run has ended; `undefined` before it has begun. */
  decoded(): CallNode | undefined
  /** The call that runs now, if it is in the tree. */
  current(): CallNode | undefined
  /** Calls that found no room. */
  leftOut(): number
}

/** Keeps every call of a run. */
export function createCallTree(): CallTree {
  /** Those that run, the outermost first; `undefined` for one that found no room. */
  const running: (CallNode | undefined)[] = []
  let root: CallNode | undefined
  let count = 0

  return {
    decoded() {
      if (root !== undefined) decode(root)
      return root
    },
    current: () => running.at(-1),
    leftOut: () => Math.max(0, count - mostCalls),
    observer: {
      enter(frame) {
        const caller = running.at(-1)
        count += 1
        const node = count <= mostCalls ? nodeOf(frame) : undefined
        if (node !== undefined) caller?.calls.push(node)
        root ??= node
        running.push(node)
      },
      leave(_frame, outcome, gasUsed) {
        const node = running.pop()
        if (node !== undefined) Object.assign(node, endOf(outcome), { gasUsed })
      },
    },
  }
}

function nodeOf(frame: FrameView): CallNode {
  const isCreation = frame.kind === 'create' || frame.kind === 'create2'
  const input = isCreation ? frame.code : frame.input
  return {
    kind: frame.kind,
    phase: undefined,
    from: addressOf(frame.kind === 'delegatecall' ? frame.address : frame.caller),
    to: addressOf(frame.codeAddress),
    value: frame.kind === 'delegatecall' ? 0n : frame.value,
    ...{ input: hexOf(input), inputSize: input.length },
    decoded: undefined,
    ...{ gas: frame.gas, gasUsed: 0 },
    ...{ result: 'returned', reason: undefined, output: '0x', outputSize: 0, revert: undefined },
    calls: [],
  }
}

function endOf(outcome: Outcome): Pick<CallNode, 'result' | 'reason' | 'output' | 'outputSize' | 'revert'> {
  const output = 'output' in outcome ? outcome.output : new Uint8Array()
  return {
    result: outcome.kind,
    reason: 'reason' in outcome ? outcome.reason : undefined,
    output: hexOf(output),
    outputSize: output.length,
    revert: outcome.kind === 'reverted' ? decodeRevert(hexOf(output)).text : undefined,
  }
}

const hexOf = (bytes: Uint8Array): `0x${string}` => `0x${bytes.subarray(0, mostBytes).toHex()}`

function decode(node: CallNode): void {
  const isCreation = node.kind === 'create' || node.kind === 'create2'
  if (!isCreation) node.decoded = decodeCall(node.input, node.inputSize <= mostBytes)
  for (const call of node.calls) decode(call)
}
