import { Type } from '@sinclair/typebox'
import type { Address } from 'viem'
import { InvalidParams, TandemError } from '../../base/errors.ts'
import { AddressSchema, HashSchema } from '../../types/rpc-userop.ts'
import { formatStateChange } from '../format/status.ts'
import { defineMethod } from '../method.ts'
import { toHash } from '../params.ts'

const Filter = Type.Object(
  {
    hash: Type.Optional(HashSchema),
    sender: Type.Optional(AddressSchema),
  },
  { additionalProperties: false, expected: 'a filter: {hash} or {sender}' },
)

/** `["userOperations", {hash} | {sender}]`: every state change from now on, as `bundler_getUserOperationStatus` shows it. */
export const eth_subscribe = defineMethod({
  name: 'eth_subscribe',
  price: 20,
  params: {
    subscription: Type.Literal('userOperations', { expected: '"userOperations"' }),
    filter: Type.Optional(Filter),
  },
  result: Type.String(),
  handler({ filter }, { caller: { subscriber }, chain: { feed } }) {
    if (subscriber === undefined) throw new TandemError(-32601, 'subscriptions need a WebSocket')
    const { hash, sender } = filter ?? {}
    if ((hash === undefined) === (sender === undefined)) {
      throw new InvalidParams('a filter is required: {hash} or {sender}', { path: 'params[1]' })
    }
    return subscriber.open((push) =>
      hash === undefined
        ? feed.onSender(sender as Address, (change) => push(formatStateChange(change)))
        : feed.onHash(toHash(hash), (change) => push(formatStateChange(change))),
    )
  },
})
