import { Ok, ok } from '../format/wire.ts'
import { defineMethod } from '../method.ts'

/** ERC-7769: empties the pool. */
export const debug_bundler_clearMempool = defineMethod({
  name: 'debug_bundler_clearMempool',
  price: 0,
  params: {},
  result: Ok,
  async handler(_none, { chain: { bundler } }) {
    await bundler.debug.clearMempool()
    return ok
  },
})
