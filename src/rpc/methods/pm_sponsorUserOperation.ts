import { Type } from '@sinclair/typebox'
import {
  feeFields,
  formatFees,
  formatGas,
  formatPaymasterData,
  formatPaymasterGas,
  gasFields,
  paymasterFields,
} from '../format/paymaster.ts'
import { EntryPointParam, UserOperationParam } from '../params.ts'
import { definePaymasterMethod } from '../paymaster/method.ts'
import { ApiKeyParam, ChainIdParam, ContextParam, sponsorRequest } from '../paymaster/params.ts'

/** Gas limits are estimated, put in and signed for: the caller uses all of the answer as it is. */
export const pm_sponsorUserOperation = definePaymasterMethod({
  name: 'pm_sponsorUserOperation',
  price: 700,
  params: {
    userOperation: UserOperationParam,
    entryPoint: EntryPointParam,
    context: ContextParam,
    chainId: ChainIdParam,
    apiKey: ApiKeyParam,
  },
  /** Fees only where they are other than those that were sent. */
  result: Type.Object({
    ...paymasterFields,
    ...gasFields,
    ...Type.Partial(Type.Object(feeFields)).properties,
  }),
  async handler(args, call) {
    const request = sponsorRequest(args, call)
    const { op } = request
    const signed = await call.paymaster.sponsorOperation(request)
    const sameFees =
      signed.maxFeePerGas === op.maxFeePerGas && signed.maxPriorityFeePerGas === op.maxPriorityFeePerGas
    return {
      ...formatPaymasterData(op, signed),
      ...formatPaymasterGas(op, signed),
      ...formatGas(signed),
      ...(sameFees ? {} : formatFees(signed)),
    }
  },
})
