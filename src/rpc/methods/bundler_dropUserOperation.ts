import { Type } from '@sinclair/typebox'
import { parseUserOperation } from '../../types/rpc-userop.ts'
import { servedVersion, versionByShape } from '../entry-point.ts'
import { Word } from '../format/wire.ts'
import { defineMethod } from '../method.ts'
import { EntryPointParam, UserOperationParam } from '../params.ts'

/**
 * Withdraws the pending operation of the same sender and nonce; gives its hash. The operation given is a signed
 * no-op. Its EntryPoint may be left out where only one is served or only 0.6 has such fields.
 */
export const bundler_dropUserOperation = defineMethod({
  name: 'bundler_dropUserOperation',
  price: 300,
  params: { userOperation: UserOperationParam, entryPoint: Type.Optional(EntryPointParam) },
  result: Word,
  handler({ userOperation, entryPoint }, { chain: { bundler, trialBudget } }): Promise<string> {
    const version =
      entryPoint === undefined
        ? versionByShape(userOperation, bundler.versions, 'params[1]')
        : servedVersion(entryPoint, bundler, 'params[1]')
    const op = parseUserOperation(userOperation, version, 'complete')
    return trialBudget.run(() => bundler.drop(op))
  },
})
