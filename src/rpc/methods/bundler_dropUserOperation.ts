import { Type } from '@sinclair/typebox'
import { InvalidParams } from '../../base/errors.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import { parseUserOperation } from '../../types/rpc-userop.ts'
import type { UserOperationStruct06 } from '../../types/userop-pack.ts'
import { servedVersion } from '../entry-point.ts'
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
        ? versionByShape(userOperation, bundler.versions)
        : servedVersion(entryPoint, bundler, 'params[1]')
    const op = parseUserOperation(userOperation, version, 'complete')
    return trialBudget.run(() => bundler.drop(op))
  },
})

/** 0.6 has fields that no other version has; 0.7 and 0.8 look the same. */
function versionByShape(operation: unknown, versions: readonly EntryPointVersion[]): EntryPointVersion {
  const { initCode, paymasterAndData } = { ...(operation as Partial<UserOperationStruct06>) }
  const is06 = Boolean(initCode ?? paymasterAndData)
  const fitting = versions.filter((version) => (version === '0.6') === is06)
  const [version] = fitting
  if (version === undefined || fitting.length > 1) {
    throw new InvalidParams(
      'entryPoint is missing: the operation fits more than one, or none that is served',
      {
        path: 'params[1]',
      },
    )
  }
  return version
}
