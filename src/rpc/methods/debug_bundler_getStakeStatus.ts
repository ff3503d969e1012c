import { Type } from '@sinclair/typebox'
import { getAddress } from 'viem'
import { AddressSchema } from '../../types/rpc-userop.ts'
import { servedVersion } from '../entry-point.ts'
import { ChecksumAddress } from '../format/wire.ts'
import { defineMethod } from '../method.ts'
import { EntryPointParam } from '../params.ts'

/** An entity's stake, in wei as a decimal string, and whether it is enough here. */
export const debug_bundler_getStakeStatus = defineMethod({
  name: 'debug_bundler_getStakeStatus',
  price: 0,
  params: { address: AddressSchema, entryPoint: EntryPointParam },
  result: Type.Object({
    stakeInfo: Type.Object({
      addr: ChecksumAddress,
      stake: Type.String({ pattern: '^[0-9]+$' }),
      unstakeDelaySec: Type.Integer(),
    }),
    isStaked: Type.Boolean(),
  }),
  async handler({ address, entryPoint }, { chain: { bundler } }) {
    const addr = getAddress(address)
    const version = servedVersion(entryPoint, bundler, 'params[1]')
    const { stake, unstakeDelaySec, isStaked } = await bundler.debug.stakeStatus(version, addr)
    return { stakeInfo: { addr, stake: stake.toString(), unstakeDelaySec }, isStaked }
  },
})
