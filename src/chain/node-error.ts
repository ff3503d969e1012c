import type { Hex } from 'viem'
import { type Json, TandemError } from '../base/errors.ts'

/** An error that a node answered on purpose: its own code, message and data. A verdict, unlike `Unavailable`. */
export class NodeError extends TandemError {
  override readonly name = 'NodeError'
  /** As the node gave it: revert bytes, or whatever its kind puts there. */
  readonly nodeData: Json | undefined

  constructor(code: number, message: string, nodeData?: Json) {
    super(code, message, isRecord(nodeData) ? nodeData : undefined)
    this.nodeData = nodeData
  }
}

/** An error object of JSON-RPC, as nodes send it. */
export type RpcErrorObject = { code: number; message: string; data?: Json }

/**
 * Answers that only mean "I cannot tell now" (peers.md, fault 15): the node lacks the block or its state, or has too
 * much to do. Everything else that a node says in an error object it means.
 */
const cannotTell: readonly { code?: number; text?: RegExp }[] = [
  { code: 429 },
  { code: -32005 }, // limit exceeded (EIP-1474), also Infura's and Alchemy's
  { code: -32016 }, // rate limit of several providers
  { code: -32603, text: /internal|timeout|unavailable|too many|overload/i },
  {
    text: /header not found|unknown block|block not found|block .*not (available|found)|could not find block/i,
  },
  { text: /missing trie node|state (is )?not available|historical state|pruned/i },
  {
    text: /rate limit|too many requests|capacity exceeded|request timed? ?out|try again|not synced|still syncing/i,
  },
]

/** The same texts come with a revert now and then; a revert is always a verdict. */
const isRevert = ({ code, message }: RpcErrorObject): boolean => code === 3 || /revert/i.test(message)

/** Whether another node, or the same one later, may answer better. */
export function meansUnavailable(error: RpcErrorObject): boolean {
  if (isRevert(error)) return false
  return cannotTell.some(
    ({ code, text }) =>
      (code === undefined || code === error.code) && (text === undefined || text.test(error.message)),
  )
}

const bytes = /^0x([0-9a-fA-F]{2})*$/

/** The revert bytes of a failed call, wherever this kind of node puts them; `0x` for a revert without any. */
export function revertData(error: NodeError): Hex | undefined {
  const found = findBytes(error.nodeData)
  if (found !== undefined) return found
  return isRevert(error) ? '0x' : undefined
}

function findBytes(data: Json | undefined): Hex | undefined {
  if (typeof data === 'string') {
    const text = data.replace(/^(Reverted|revert) /i, '')
    return bytes.test(text) ? (text as Hex) : undefined
  }
  if (!isRecord(data)) return undefined
  return findBytes(data.data) ?? findBytes(data.originalError) ?? findBytes(data.result)
}

function isRecord(value: Json | undefined): value is { readonly [key: string]: Json | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
