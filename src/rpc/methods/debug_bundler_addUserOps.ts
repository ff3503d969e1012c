import { Type } from '@sinclair/typebox'
import { parseUserOperation } from '../../types/rpc-userop.ts'
import { servedVersion } from '../entry-point.ts'
import { Ok, ok } from '../format/wire.ts'
import { defineMethod } from '../method.ts'
import { EntryPointParam } from '../params.ts'

/** Puts operations into the pool without validating them. */
export const debug_bundler_addUserOps = defineMethod({
  name: 'debug_bundler_addUserOps',
  price: 0,
  params: {
    userOperations: Type.Array(Type.Unknown(), { expected: 'an array of UserOperations' }),
    entryPoint: EntryPointParam,
  },
  result: Ok,
  async handler({ userOperations, entryPoint }, { chain: { bundler } }) {
    const version = servedVersion(entryPoint, bundler, 'params[1]')
    await bundler.debug.addUserOps(
      userOperations.map((op, index) => parseUserOperation(op, version, 'complete', `params[0][${index}]`)),
    )
    return ok
  },
})
