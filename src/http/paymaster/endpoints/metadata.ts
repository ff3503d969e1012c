import { Type } from '@sinclair/typebox'
import { numberToHex } from 'viem'
import { paymasterOf } from '../../../rpc/paymaster/chain.ts'
import type { EntryPointVersion } from '../../../types/entrypoint-version.ts'
import { type Endpoint, withPath } from '../endpoint.ts'

const Metadata = Type.Object({
  sponsorAddress: Type.String(),
  sponsorWalletBalance: Type.Object({ type: Type.Literal('BigNumber'), hex: Type.String() }),
  chainsSupported: Type.Array(Type.Integer()),
  tokenPaymasters: Type.Record(Type.String(), Type.Record(Type.String(), Type.String())),
})

const versions: readonly { suffix: string; version: EntryPointVersion }[] = [
  { suffix: '', version: '0.6' },
  { suffix: '/v2', version: '0.7' },
  { suffix: '/v3', version: '0.8' },
]

export const metadataEndpoints: readonly Endpoint[] = versions.map(({ suffix, version }) =>
  withPath({
    method: 'GET',
    path: `/metadata${suffix}`,
    summary: `The tenant's sponsor wallet, and what its paymasters of ${version} take`,
    price: 2,
    scope: 'read',
    query: ['chainId'],
    answer: Metadata,
    async handler(_path, { caller, service, chainId }) {
      const found = await paymasterOf(service.paymasters, chainId).metadata(caller, version)
      return {
        sponsorAddress: found.sponsorAddress,
        sponsorWalletBalance: {
          type: 'BigNumber' as const,
          hex: numberToHex(found.sponsorWalletBalance),
        },
        chainsSupported: [...found.chainsSupported],
        tokenPaymasters: found.tokenPaymasters,
      }
    },
  }),
)
