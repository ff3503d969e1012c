import { Ok, ok } from '../format/wire.ts'
import { defineMethod } from '../method.ts'

/** ERC-7769: empties the pool and forgets all reputation. */
export const debug_bundler_clearState = defineMethod({
  name: 'debug_bundler_clearState',
  price: 0,
  params: {},
  result: Ok,
  async handler(_none, { chain: { bundler } }) {
    await bundler.debug.clearMempool()
    await bundler.debug.clearReputation()
    return ok
  },
})
