import type { Static } from '@sinclair/typebox'
import { ConfigSchema } from '../format/config.ts'
import { defineMethod } from '../method.ts'

/** The chain's settings; what is secret only as "is one configured". */
export const bundler_config = defineMethod({
  name: 'bundler_config',
  price: 10,
  params: {},
  result: ConfigSchema,
  handler: (_none, { chain }) => chain.bundler.config() as Static<typeof ConfigSchema>,
})
