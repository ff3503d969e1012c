import { Type } from '@sinclair/typebox'
import { getAddress } from 'viem'
import { AddressSchema } from '../../types/rpc-userop.ts'
import { servedVersion } from '../entry-point.ts'
import { Ok, ok } from '../format/wire.ts'
import { defineMethod } from '../method.ts'
import { CountParam, EntryPointParam, toNumber } from '../params.ts'

const Entry = Type.Object({ address: AddressSchema, opsSeen: CountParam, opsIncluded: CountParam })

/** ERC-7769: replaces the counts of these entities. */
export const debug_bundler_setReputation = defineMethod({
  name: 'debug_bundler_setReputation',
  price: 0,
  params: {
    reputations: Type.Array(Entry, { expected: 'an array of {address, opsSeen, opsIncluded}' }),
    entryPoint: EntryPointParam,
  },
  result: Ok,
  handler({ reputations, entryPoint }, { chain: { bundler } }) {
    const entries = reputations.map((entry) => ({
      address: getAddress(entry.address),
      opsSeen: toNumber(entry.opsSeen),
      opsIncluded: toNumber(entry.opsIncluded),
    }))
    bundler.debug.setReputation(servedVersion(entryPoint, bundler, 'params[1]'), entries)
    return ok
  },
})
