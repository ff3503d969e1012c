import { customType } from 'drizzle-orm/sqlite-core'
import { type Address, getAddress, type Hash, numberToHex } from 'viem'

/** Kept in lower case so that a look-up does not depend on how it is written; read in EIP-55. */
export const address = customType<{ data: Address; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => value.toLowerCase(),
  fromDriver: (value) => getAddress(value),
})

/** 32 bytes, kept in lower case. */
export const hash = customType<{ data: Hash; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => value.toLowerCase(),
  fromDriver: (value) => value as Hash,
})

/** As minimal hex text: integers over 2^53 cannot pass the driver. Not made to be sorted by. */
export const uint256 = customType<{ data: bigint; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => numberToHex(value),
  fromDriver: (value) => BigInt(value),
})
