import { Ok, ok } from '../format/wire.ts'
import { defineMethod } from '../method.ts'

/** ERC-7769: forgets all reputation. */
export const debug_bundler_clearReputation = defineMethod({
  name: 'debug_bundler_clearReputation',
  price: 0,
  params: {},
  result: Ok,
  async handler(_none, { chain: { bundler } }) {
    await bundler.debug.clearReputation()
    return ok
  },
})
