import type { Static } from '@sinclair/typebox'
import type { ConfigSchema } from '../format/config.ts'
import { SkandhaConfigSchema } from '../format/config.ts'
import { defineMethod } from '../method.ts'

/** `bundler_config` under the field names that skandha's clients know. */
export const skandha_config = defineMethod({
  name: 'skandha_config',
  price: 10,
  params: {},
  result: SkandhaConfigSchema,
  handler(_none, { chain }) {
    const { explorerApiKey, ...rest } = chain.bundler.config() as Static<typeof ConfigSchema>
    return { ...rest, etherscanApiKey: explorerApiKey }
  },
})
