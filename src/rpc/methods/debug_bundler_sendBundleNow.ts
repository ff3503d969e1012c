import { Type } from '@sinclair/typebox'
import { Ok, ok, Word } from '../format/wire.ts'
import { defineMethod } from '../method.ts'

/** ERC-7769: the mined transaction, after its events are applied; `"ok"` when there is nothing to send. */
export const debug_bundler_sendBundleNow = defineMethod({
  name: 'debug_bundler_sendBundleNow',
  price: 0,
  params: {},
  result: Type.Union([Word, Ok]),
  handler: async (_none, { chain }) => (await chain.bundler.debug.sendBundleNow()) ?? ok,
})
