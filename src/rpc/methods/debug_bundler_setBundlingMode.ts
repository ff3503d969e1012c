import { Type } from '@sinclair/typebox'
import { Ok, ok } from '../format/wire.ts'
import { defineMethod } from '../method.ts'

const Mode = Type.Union([Type.Literal('manual'), Type.Literal('auto')], { expected: '"manual" or "auto"' })

/** ERC-7769: in manual mode bundles leave by `debug_bundler_sendBundleNow` only. */
export const debug_bundler_setBundlingMode = defineMethod({
  name: 'debug_bundler_setBundlingMode',
  price: 0,
  params: { mode: Mode },
  result: Ok,
  handler({ mode }, { chain: { bundler } }) {
    bundler.debug.setBundlingMode(mode)
    return ok
  },
})
