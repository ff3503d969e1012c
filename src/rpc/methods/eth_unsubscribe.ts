import { Type } from '@sinclair/typebox'
import { TandemError } from '../../base/errors.ts'
import { defineMethod } from '../method.ts'

/** Whether there was such a subscription on this connection. */
export const eth_unsubscribe = defineMethod({
  name: 'eth_unsubscribe',
  price: 0,
  params: { subscription: Type.String({ maxLength: 66, expected: 'the id of a subscription' }) },
  result: Type.Boolean(),
  handler({ subscription }, { caller: { subscriber } }) {
    if (subscriber === undefined) throw new TandemError(-32601, 'subscriptions need a WebSocket')
    return subscriber.close(subscription)
  },
})
