import { Type } from '@sinclair/typebox'
import { entryPoints } from '../../types/entrypoint.ts'
import { ChecksumAddress } from '../format/wire.ts'
import { definePaymasterMethod } from '../paymaster/method.ts'
import { ApiKeyParam, ChainIdParam } from '../paymaster/params.ts'

/** As `eth_supportedEntryPoints`, for clients that ask the paymaster. */
export const pm_supportedEntryPoints = definePaymasterMethod({
  name: 'pm_supportedEntryPoints',
  price: 5,
  params: { chainId: ChainIdParam, apiKey: ApiKeyParam },
  result: Type.Array(ChecksumAddress),
  handler: (_none, { paymaster }) => paymaster.versions.map((version) => entryPoints[version].address),
})
