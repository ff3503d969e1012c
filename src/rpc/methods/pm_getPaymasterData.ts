import { Type } from '@sinclair/typebox'
import { formatPaymasterData, formatPaymasterGas, paymasterFields } from '../format/paymaster.ts'
import { EntryPointParam, UserOperationParam } from '../params.ts'
import { definePaymasterMethod } from '../paymaster/method.ts'
import { ApiKeyParam, ChainIdParam, ContextParam, sponsorRequest } from '../paymaster/params.ts'

/** ERC-7677: a signature for the operation with the gas limits that it has. */
export const pm_getPaymasterData = definePaymasterMethod({
  name: 'pm_getPaymasterData',
  price: 450,
  params: {
    userOperation: UserOperationParam,
    entryPoint: EntryPointParam,
    chainId: ChainIdParam,
    context: ContextParam,
    apiKey: ApiKeyParam,
  },
  chainIdFirst: true,
  /** The paymaster's gas limits only where they are other than those that were sent. */
  result: Type.Object(paymasterFields),
  async handler(args, call) {
    const request = sponsorRequest(args, call)
    const { op } = request
    const signed = await call.paymaster.data(request)
    const sameGas =
      signed.paymasterVerificationGasLimit === op.paymasterVerificationGasLimit &&
      signed.paymasterPostOpGasLimit === op.paymasterPostOpGasLimit
    return { ...formatPaymasterData(op, signed), ...(sameGas ? {} : formatPaymasterGas(op, signed)) }
  },
})
