import { type Static, Type } from '@sinclair/typebox'
import { formatUserOperation } from '../../types/rpc-userop.ts'
import { servedVersion } from '../entry-point.ts'
import { UserOperationSchema } from '../format/found.ts'
import { defineMethod } from '../method.ts'
import { EntryPointParam } from '../params.ts'

/** ERC-7769: the operations in an EntryPoint's pool, as they were sent. */
export const debug_bundler_dumpMempool = defineMethod({
  name: 'debug_bundler_dumpMempool',
  price: 0,
  params: { entryPoint: EntryPointParam },
  result: Type.Array(UserOperationSchema),
  handler({ entryPoint }, { chain: { bundler } }) {
    const ops = bundler.debug.dumpMempool(servedVersion(entryPoint, bundler, 'params[0]'))
    return ops.map(formatUserOperation) as Static<typeof UserOperationSchema>[]
  },
})
