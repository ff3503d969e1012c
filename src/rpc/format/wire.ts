import { Type } from '@sinclair/typebox'
import { type Address, getAddress, type Hex, numberToHex } from 'viem'

/** Schemas of what answers are made of: minimal lower-case quantities, lower-case data, EIP-55 addresses. */
export const Quantity = Type.String({ pattern: '^0x(0|[1-9a-f][0-9a-f]*)$' })
export const Data = Type.String({ pattern: '^0x([0-9a-f]{2})*$' })
export const Word = Type.String({ pattern: '^0x[0-9a-f]{64}$' })
export const ChecksumAddress = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })

/** Whatever a node calls a quantity → minimal lower-case hex; nothing → 0x0. */
export function quantity(value: unknown): Hex {
  const known = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
  return numberToHex(known ? BigInt(value) : 0n)
}

/** Data in lower case; nothing → 0x. */
export function data(value: unknown): Hex {
  return typeof value === 'string' ? (value.toLowerCase() as Hex) : '0x'
}

/** An address as EIP-55 writes it. */
export function address(value: string): Address {
  return getAddress(value)
}

/** What methods answer that only do something. */
export const Ok = Type.Literal('ok')
export const ok = 'ok' as const
