import { Type } from '@sinclair/typebox'
import { type Address, getAddress, isAddress } from 'viem'
import { invalidData } from '../../paymaster/invalid-data.ts'
import { nativeDigits, parseAmount } from '../../paymaster/policies/amounts.ts'
import { policyNotFound } from '../../paymaster/policies/policy-not-found.ts'
import { type VersionName, versionNames } from '../../paymaster/policies/wire.ts'
import { readChainId } from '../../rpc/paymaster/credentials.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import { AddressSchema } from '../../types/rpc-userop.ts'
import type { PathFields } from './endpoint.ts'

/** Addresses that one transaction changes. */
export const mostOnChain = 10
/** Addresses that one call changes in the database. */
export const mostStored = 1000

/** `address` or `[address, …]` */
export const addressesParam = (most: number) =>
  Type.Union([AddressSchema, Type.Array(AddressSchema, { minItems: 1, maxItems: most })], {
    expected: `an address or an array of 1 to ${most} addresses`,
  })

/** `address` or `[address]`: the calls of lists take arrays. */
export const AddressParam = Type.Union(
  [AddressSchema, Type.Array(AddressSchema, { minItems: 1, maxItems: 1 })],
  {
    expected: 'an address (0x and 40 hex digits)',
  },
)

export const VersionParam = Type.Union(
  [Type.Literal('EPV_06'), Type.Literal('EPV_07'), Type.Literal('EPV_08')],
  { expected: 'EPV_06, EPV_07 or EPV_08' },
)

/** Checked by `readAmount`. */
export const AmountParam = Type.Union([Type.String({ maxLength: 100 }), Type.Number()], {
  expected: "a decimal number of the chain's native coin",
  description: "decimal number of the chain's native coin",
})

/** Checked by `readPolicyId`. */
export const PolicyIdParam = Type.Optional(
  Type.Union([Type.String({ maxLength: 100 }), Type.Number()], {
    expected: 'the id of a policy',
    description: 'id of a policy; none: the list outside of policies',
  }),
)

export function readAddresses(given: string | readonly string[]): readonly Address[] {
  const list = typeof given === 'string' ? [given] : given
  return [...new Set(list.map((address) => getAddress(address)))]
}

export function readAddress(given: string | readonly string[]): Address {
  const [address = ''] = [given].flat()
  return getAddress(address)
}

/** wei. @throws PaymasterError 400 for what is no positive decimal number */
export function readAmount(given: string | number): bigint {
  const parsed = parseAmount(given, nativeDigits)
  if ('fault' in parsed) throw invalidData(`the amount ${parsed.fault}`)
  if (parsed.value === 0n) throw invalidData('the amount must be more than zero')
  return parsed.value
}

/** An id of another kind is nobody's policy. @throws PaymasterError 404 */
export function readPolicyId(given: string | number | undefined): number {
  const text = String(given)
  const id = /^\d{1,15}$/.test(text) ? Number(text) : 0
  if (id === 0) throw policyNotFound()
  return id
}

export const optionalPolicyId = (given: string | number | undefined): number | undefined =>
  given === undefined || given === '' ? undefined : readPolicyId(given)

/** @throws PaymasterError 400 */
export function readVersion({ epVersion = '' }: PathFields): EntryPointVersion {
  const name = epVersion.toUpperCase()
  if (!Object.hasOwn(versionNames, name)) throw invalidData('epVersion must be EPV_06, EPV_07 or EPV_08')
  return versionNames[name as VersionName]
}

/** @throws PaymasterError 400 */
export const readPathChain = ({ chainId }: PathFields): number => readChainId(chainId)

/** @throws PaymasterError 400 */
export function readWallet(given: unknown): Address {
  if (typeof given === 'string' && isAddress(given, { strict: false })) return getAddress(given)
  throw invalidData('walletAddress must be an address')
}
