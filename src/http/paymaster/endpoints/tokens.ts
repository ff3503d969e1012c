import { Type } from '@sinclair/typebox'
import { servedVersion } from '../../../rpc/entry-point.ts'
import { EntryPointParam } from '../../../rpc/params.ts'
import { paymasterOf } from '../../../rpc/paymaster/chain.ts'
import { ApiKeyParam, ChainIdParam } from '../../../rpc/paymaster/params.ts'
import { entryPointVersions } from '../../../types/entrypoint-version.ts'
import { dataOf, type Endpoint, withParams } from '../endpoint.ts'

export const tokenEndpoints: readonly Endpoint[] = [
  withParams({
    method: 'POST',
    path: '/getAllCommonERC20PaymasterAddress',
    summary: 'The tokens that our paymasters take, as JSON text; of all chains where none is named',
    price: 5,
    scope: 'read',
    query: ['chainId'],
    params: { entryPoint: EntryPointParam, chainId: ChainIdParam, apiKey: ApiKeyParam },
    answer: Type.Object({ message: Type.String() }),
    async handler({ entryPoint }, { service, chainId }) {
      const version = dataOf(() => servedVersion(entryPoint, { versions: entryPointVersions }, 'params[0]'))
      const asked =
        chainId === undefined ? [...service.paymasters.values()] : [paymasterOf(service.paymasters, chainId)]
      const found = await Promise.all(asked.map((paymaster) => paymaster.commonPaymasters(version)))
      return { message: JSON.stringify(found.flat()) }
    },
  }),
]
