import { Ok, ok } from '../format/wire.ts'
import { defineMethod } from '../method.ts'
import { CountParam, toNumber } from '../params.ts'

/** The longest wait for a bundle, in seconds. */
export const debug_bundler_setBundleInterval = defineMethod({
  name: 'debug_bundler_setBundleInterval',
  price: 0,
  params: { seconds: CountParam },
  result: Ok,
  handler({ seconds }, { chain: { bundler } }) {
    bundler.debug.setBundleInterval(toNumber(seconds) * 1000)
    return ok
  },
})
