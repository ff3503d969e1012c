import { Type } from '@sinclair/typebox'
import type { Hash } from 'viem'
import { AddressSchema, HashSchema, QuantitySchema } from '../types/rpc-userop.ts'

const expected = (text: string) => ({ expected: text, description: text })

/** Checked against its EntryPoint's version by `parseUserOperation`. */
export const UserOperationParam = Type.Unknown(expected('a UserOperation'))
export const EntryPointParam = AddressSchema
export const UserOpHashParam = HashSchema

/** A whole number, in any form of a quantity. */
export const CountParam = { ...QuantitySchema, ...expected('a whole number') }

/** A tag or a number. */
export const BlockParam = Type.Union(
  [
    Type.String({ pattern: '^(latest|pending|safe|finalized|earliest|0x[0-9a-fA-F]{1,13}|[0-9]{1,15})$' }),
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  ],
  expected('a block tag or number'),
)

const hexQuantity = Type.String({ pattern: '^0x[0-9a-fA-F]{1,64}$' })
const hexData = Type.String({ pattern: '^0x([0-9a-fA-F]{2})*$' })
const Slots = Type.Record(Type.String({ pattern: '^0x[0-9a-fA-F]{1,64}$' }), hexData)

/** The third parameter of eth_estimateUserOperationGas (ERC-7769): state overrides as eth_call takes them. */
export const StateOverridesParam = Type.Record(
  Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }),
  Type.Object(
    {
      balance: Type.Optional(hexQuantity),
      nonce: Type.Optional(hexQuantity),
      code: Type.Optional(hexData),
      state: Type.Optional(Slots),
      stateDiff: Type.Optional(Slots),
    },
    { additionalProperties: false },
  ),
  {
    additionalProperties: false,
    ...expected('state overrides by address: balance, nonce, code, state, stateDiff'),
  },
)

/** A checked count as a number; one beyond what a number holds is as good as infinite. */
export function toNumber(count: string | number | { hex: string }): number {
  return Number(typeof count === 'object' ? count.hex : count)
}

const tag = /^[a-z]+$/

/** A checked block: its tag or its number. */
export function toBlock(block: string | number): string | number {
  return typeof block === 'string' && tag.test(block) ? block : Number(block)
}

/** A checked hash, in the lower case that hashes are kept in. */
export function toHash(hash: string): Hash {
  return hash.toLowerCase() as Hash
}
