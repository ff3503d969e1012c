import { Type } from '@sinclair/typebox'
import type { Json } from '../../base/errors.ts'
import { parseUserOperation } from '../../types/rpc-userop.ts'
import { servedVersion } from '../entry-point.ts'
import { defineMethod } from '../method.ts'
import { EntryPointParam, UserOperationParam } from '../params.ts'

/** The verdict about an operation in full; the pool does not change. */
export const bundler_explainUserOperation = defineMethod({
  name: 'bundler_explainUserOperation',
  price: 300,
  params: { userOperation: UserOperationParam, entryPoint: EntryPointParam },
  result: Type.Unsafe<Json>(Type.Unknown()),
  handler({ userOperation, entryPoint }, { chain: { bundler, trialBudget } }): Promise<Json> {
    const version = servedVersion(entryPoint, bundler, 'params[1]')
    const op = parseUserOperation(userOperation, version, 'complete')
    return trialBudget.run(() => bundler.explain(op))
  },
})
