import { Type } from '@sinclair/typebox'
import { parseUserOperation } from '../../types/rpc-userop.ts'
import { servedVersion } from '../entry-point.ts'
import { EstimateSchema, formatEstimate } from '../format/estimate.ts'
import { defineMethod } from '../method.ts'
import { EntryPointParam, StateOverridesParam, UserOperationParam } from '../params.ts'

/** ERC-7769. Gas, fees and signature of the operation may be missing. */
export const eth_estimateUserOperationGas = defineMethod({
  name: 'eth_estimateUserOperationGas',
  price: 300,
  params: {
    userOperation: UserOperationParam,
    entryPoint: EntryPointParam,
    stateOverrides: Type.Optional(StateOverridesParam),
  },
  result: EstimateSchema,
  async handler({ userOperation, entryPoint, stateOverrides }, { chain: { bundler, trialBudget } }) {
    const version = servedVersion(entryPoint, bundler, 'params[1]')
    const op = parseUserOperation(userOperation, version, 'partial')
    return formatEstimate(version, await trialBudget.run(() => bundler.estimate(op, stateOverrides)))
  },
})
