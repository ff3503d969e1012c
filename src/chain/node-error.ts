import type { Hex } from 'viem'
import { type Json, TandemError } from '../base/errors.ts'
import { type AnswerMeaning, meaningOf } from './answer-meaning.ts'
import { bytesIn, isRecord } from './revert-bytes.ts'

/** An error that a node answered on purpose: its own code, message and data. A verdict, unlike `Unavailable`. */
export class NodeError extends TandemError {
  override readonly name: string = 'NodeError'
  /** As the node gave it: revert bytes, or whatever its kind puts there. */
  readonly nodeData: Json | undefined

  constructor(code: number, message: string, nodeData?: Json) {
    super(code, message, isRecord(nodeData) ? nodeData : undefined)
    this.nodeData = nodeData
  }
}

/**
 * The bytes that a failed call reverted with: `0x` for a revert without any, `undefined` for an error that is no
 * revert.
 */
export function revertData({ code, message, nodeData }: NodeError): Hex | undefined {
  const isRevert = code === 3 || message.toLowerCase().includes('revert')
  return bytesIn(nodeData) ?? (isRevert ? '0x' : undefined)
}

export function nodeMeaning({ code, message, nodeData }: NodeError): AnswerMeaning {
  return meaningOf({ code, message, data: nodeData })
}
