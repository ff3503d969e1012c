import { Type } from '@sinclair/typebox'
import { parseUserOperation } from '../../types/rpc-userop.ts'
import { servedVersion } from '../entry-point.ts'
import { formatExplanation } from '../format/explanation.ts'
import { ExplanationSchema } from '../format/explanation-schema.ts'
import { defineMethod } from '../method.ts'
import { EntryPointParam, StateOverridesParam, UserOperationParam } from '../params.ts'

/** The verdict about an operation and all that is behind it, accepted or not; the pool does not change. */
export const bundler_explainUserOperation = defineMethod({
  name: 'bundler_explainUserOperation',
  price: 300,
  params: {
    userOperation: UserOperationParam,
    entryPoint: EntryPointParam,
    stateOverrides: Type.Optional(StateOverridesParam),
  },
  result: ExplanationSchema,
  async handler({ userOperation, entryPoint, stateOverrides }, { chain: { bundler, trialBudget } }) {
    const version = servedVersion(entryPoint, bundler, 'params[1]')
    const op = parseUserOperation(userOperation, version, 'complete')
    return formatExplanation(await trialBudget.run(() => bundler.explain(op, stateOverrides)))
  },
})
