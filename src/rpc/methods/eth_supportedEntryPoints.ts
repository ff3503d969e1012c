import { Type } from '@sinclair/typebox'
import { entryPoints } from '../../types/entrypoint.ts'
import { ChecksumAddress } from '../format/wire.ts'
import { defineMethod } from '../method.ts'

/** ERC-7769: the first one is the preferred one. */
export const eth_supportedEntryPoints = defineMethod({
  name: 'eth_supportedEntryPoints',
  price: 5,
  params: {},
  result: Type.Array(ChecksumAddress),
  handler: (_none, { chain }) => chain.bundler.versions.map((version) => entryPoints[version].address),
})
