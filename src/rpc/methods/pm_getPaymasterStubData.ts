import { Type } from '@sinclair/typebox'
import { formatPaymasterData, formatPaymasterGas, paymasterFields } from '../format/paymaster.ts'
import { EntryPointParam, UserOperationParam } from '../params.ts'
import { definePaymasterMethod } from '../paymaster/method.ts'
import { ApiKeyParam, ChainIdParam, ContextParam, sponsorRequest } from '../paymaster/params.ts'

/** ERC-7677: what to estimate with. Whoever is refused later is refused here already. */
export const pm_getPaymasterStubData = definePaymasterMethod({
  name: 'pm_getPaymasterStubData',
  price: 300,
  params: {
    userOperation: UserOperationParam,
    entryPoint: EntryPointParam,
    chainId: ChainIdParam,
    context: ContextParam,
    apiKey: ApiKeyParam,
  },
  chainIdFirst: true,
  result: Type.Object({
    ...paymasterFields,
    sponsor: Type.Object({ name: Type.String(), icon: Type.Optional(Type.String()) }),
    isFinal: Type.Literal(false),
  }),
  async handler(args, call) {
    const request = sponsorRequest(args, call)
    const stub = await call.paymaster.stub(request)
    const { name, icon } = call.paymaster.sponsor
    return {
      ...formatPaymasterData(request.op, stub),
      ...formatPaymasterGas(request.op, stub),
      sponsor: { name, ...(icon === undefined ? {} : { icon }) },
      isFinal: false as const,
    }
  },
})
