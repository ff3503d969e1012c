import { Type } from '@sinclair/typebox'
import type { ReputationStatus } from '../../types/ports/pool.ts'
import { servedVersion } from '../entry-point.ts'
import { address, ChecksumAddress, Quantity, quantity } from '../format/wire.ts'
import { defineMethod } from '../method.ts'
import { EntryPointParam } from '../params.ts'

/** ERC-7769's numbers for the status of an entity. */
const statuses: Readonly<Record<ReputationStatus, 0 | 1 | 2>> = { ok: 0, throttled: 1, banned: 2 }

/** ERC-7769: what is known of each entity. */
export const debug_bundler_dumpReputation = defineMethod({
  name: 'debug_bundler_dumpReputation',
  price: 0,
  params: { entryPoint: EntryPointParam },
  result: Type.Array(
    Type.Object({
      address: ChecksumAddress,
      opsSeen: Quantity,
      opsIncluded: Quantity,
      status: Type.Integer({ minimum: 0, maximum: 2 }),
    }),
  ),
  handler({ entryPoint }, { chain: { bundler } }) {
    const entries = bundler.debug.dumpReputation(servedVersion(entryPoint, bundler, 'params[0]'))
    return entries.map((entry) => ({
      address: address(entry.address),
      opsSeen: quantity(entry.opsSeen),
      opsIncluded: quantity(entry.opsIncluded),
      status: statuses[entry.status],
    }))
  },
})
