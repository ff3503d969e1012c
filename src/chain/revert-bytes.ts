import { type Hex, isHex } from 'viem'
import type { Json } from '../base/errors.ts'

/** Bytes in the `data` of a node's error, wherever this kind of node puts them; `undefined` without any. */
export function bytesIn(data: Json | undefined): Hex | undefined {
  if (typeof data === 'string') {
    // OpenEthereum and nethermind write `Reverted 0x…`.
    const text = data.slice(data.lastIndexOf(' ') + 1)
    return isHex(text) && text.length % 2 === 0 ? text : undefined
  }
  if (!isRecord(data)) return undefined
  return bytesIn(data.data) ?? bytesIn(data.originalError) ?? bytesIn(data.result)
}

export function isRecord(value: Json | undefined): value is { readonly [key: string]: Json | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
