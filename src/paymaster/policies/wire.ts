import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { type Address, getAddress, type Hex } from 'viem'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { Policy, Reach } from '../../types/paymaster/policy.ts'
import { AddressSchema } from '../../types/rpc-userop.ts'
import { invalidData } from '../invalid-data.ts'
import type { PaymasterError } from '../paymaster-error.ts'
import { formatAmount, nativeDigits, parseAmount, usdDigits } from './amounts.ts'
import { isOpenToOthers } from './choose.ts'

/** How policy and paymaster calls name EntryPoint versions. */
export const versionNames = { EPV_06: '0.6', EPV_07: '0.7', EPV_08: '0.8' } as const satisfies Readonly<
  Record<string, EntryPointVersion>
>
export type VersionName = keyof typeof versionNames

/** Entries of one list, and of one policy's targets; more are for a whitelist. */
const mostListed = 10_000
const mostTargets = 1_000
const longest = { name: 200, description: 2_000 }

const nullable = <T extends TSchema>(schema: T, expected: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description: `${expected}, or null` }))
const Amount = nullable(Type.Union([Type.Number(), Type.String()]), 'a decimal number, not negative')
/** Decimal text is taken as well; no amount of operations has more than 15 digits. */
const Count = nullable(
  Type.Union([
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    Type.String({ pattern: '^[0-9]{1,15}$' }),
  ]),
  'a whole number, not negative',
)
const Flag = nullable(Type.Boolean(), 'true or false')
const Time = nullable(Type.String(), 'a time in ISO 8601')
const Text = (maxLength: number) =>
  nullable(Type.String({ maxLength }), `a text of at most ${maxLength} characters`)
const Addresses = nullable(
  Type.Array(AddressSchema, { maxItems: mostListed }),
  `an array of at most ${mostListed} addresses`,
)
const VersionNames = Type.Array(
  Type.Union([Type.Literal('EPV_06'), Type.Literal('EPV_07'), Type.Literal('EPV_08')]),
)
const Chains = nullable(
  Type.Array(Type.Integer({ minimum: 1 }), { maxItems: 1_000 }),
  'an array of chain ids',
)
const Targets = nullable(
  Type.Array(
    Type.Object({ address: AddressSchema, selector: Type.String({ pattern: '^0x[0-9a-fA-F]{8}$' }) }),
    { maxItems: mostTargets },
  ),
  `an array of at most ${mostTargets} of {address, selector}`,
)

/** What addPolicy and updatePolicy take, besides who asks (interface.md). Absent and null: the default, or as it was. */
export const PolicyInput = Type.Object({
  walletAddress: nullable(AddressSchema, 'an address'),
  name: Text(longest.name),
  description: Text(longest.description),
  isPublic: Flag,
  isEnabled: Flag,
  isApplicableToAllNetworks: Flag,
  enabledChains: Chains,
  supportedEPVersions: nullable(VersionNames, 'an array of EPV_06, EPV_07 or EPV_08'),
  isPerpetual: Flag,
  startTime: Time,
  endTime: Time,
  globalMaximumApplicable: Flag,
  globalMaximumUsd: Amount,
  globalMaximumNative: Amount,
  globalMaximumOpCount: Count,
  perUserMaximumApplicable: Flag,
  perUserMaximumUsd: Amount,
  perUserMaximumNative: Amount,
  perUserMaximumOpCount: Count,
  perOpMaximumApplicable: Flag,
  perOpMaximumUsd: Amount,
  perOpMaximumNative: Amount,
  addressAllowList: Addresses,
  addressBlockList: Addresses,
  allowedTargets: Targets,
  whitelistApplicable: Flag,
})
export type PolicyInput = Static<typeof PolicyInput>

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** A policy as it is shown (interface.md). */
export const PolicyOutput = Type.Object({
  id: Type.Integer(),
  walletAddress: Type.String(),
  name: Type.String(),
  description: Type.String(),
  isPublic: Type.Boolean(),
  isEnabled: Type.Boolean(),
  isApplicableToAllNetworks: Type.Boolean(),
  enabledChains: Type.Array(Type.Integer()),
  supportedEPVersions: VersionNames,
  isPerpetual: Type.Boolean(),
  startTime: orNull(Type.String()),
  endTime: orNull(Type.String()),
  globalMaximumApplicable: Type.Boolean(),
  globalMaximumUsd: orNull(Type.String()),
  globalMaximumNative: orNull(Type.String()),
  globalMaximumOpCount: orNull(Type.Integer()),
  perUserMaximumApplicable: Type.Boolean(),
  perUserMaximumUsd: orNull(Type.String()),
  perUserMaximumNative: orNull(Type.String()),
  perUserMaximumOpCount: orNull(Type.Integer()),
  perOpMaximumApplicable: Type.Boolean(),
  perOpMaximumUsd: orNull(Type.String()),
  perOpMaximumNative: orNull(Type.String()),
  addressAllowList: orNull(Type.Array(Type.String())),
  addressBlockList: orNull(Type.Array(Type.String())),
  allowedTargets: orNull(Type.Array(Type.Object({ address: Type.String(), selector: Type.String() }))),
  whitelistApplicable: Type.Boolean(),
  createdAt: Type.String(),
  updatedAt: Type.String(),
})
export type PolicyOutput = Static<typeof PolicyOutput>

/** A policy before the store gave it its id and times. */
export type PolicyDraft = Omit<Policy, 'id' | 'tenantId' | 'createdAt' | 'updatedAt'>

/** What a policy is where its maker says nothing: for all chains and versions, for ever, enabled, without limits. */
const blank: PolicyDraft = {
  name: '',
  description: '',
  isPublic: false,
  isEnabled: true,
  isPerpetual: true,
  startTime: undefined,
  endTime: undefined,
  isApplicableToAllNetworks: true,
  enabledChains: [],
  versions: ['0.6', '0.7', '0.8'],
  global: { applicable: false, usd: undefined, native: undefined, count: undefined },
  perUser: { applicable: false, usd: undefined, native: undefined, count: undefined },
  perOperation: { applicable: false, usd: undefined, native: undefined, count: undefined },
  allowList: undefined,
  blockList: undefined,
  allowedTargets: undefined,
  whitelistApplicable: false,
}

/**
 * A new policy, or `existing` with what was sent: a field that is absent stays as it was, null takes a value away.
 * @throws PaymasterError 400 naming the field
 */
export function readPolicy(input: PolicyInput, existing: PolicyDraft = blank): PolicyDraft {
  const startTime = changed(input.startTime, existing.startTime, (text) => time('startTime', text))
  const endTime = changed(input.endTime, existing.endTime, (text) => time('endTime', text))
  const list = (addresses: readonly string[]) => [...new Set(addresses.map((one) => getAddress(one)))]
  const draft: PolicyDraft = {
    name: input.name ?? existing.name,
    description: input.description ?? existing.description,
    isPublic: input.isPublic ?? existing.isPublic,
    isEnabled: input.isEnabled ?? existing.isEnabled,
    // Who sends times means them, unless they say otherwise.
    isPerpetual: input.isPerpetual ?? (typeof input.endTime === 'string' ? false : existing.isPerpetual),
    startTime,
    endTime,
    isApplicableToAllNetworks:
      input.isApplicableToAllNetworks ??
      (input.enabledChains?.length ? false : existing.isApplicableToAllNetworks),
    enabledChains: [...new Set(input.enabledChains ?? existing.enabledChains)],
    versions: input.supportedEPVersions
      ? [...new Set(input.supportedEPVersions.map((name) => versionNames[name]))]
      : existing.versions,
    global: reach(input, 'globalMaximum', existing.global),
    perUser: reach(input, 'perUserMaximum', existing.perUser),
    perOperation: reach(input, 'perOpMaximum', existing.perOperation),
    allowList: changed(input.addressAllowList, existing.allowList, list),
    blockList: changed(input.addressBlockList, existing.blockList, list),
    allowedTargets: changed(input.allowedTargets, existing.allowedTargets, (targets) =>
      targets.map(({ address, selector }) => ({
        address: getAddress(address),
        selector: selector.toLowerCase() as Hex,
      })),
    ),
    whitelistApplicable: input.whitelistApplicable ?? existing.whitelistApplicable,
  }
  if (draft.versions.length === 0) throw invalid('supportedEPVersions', 'must name a version')
  if (startTime !== undefined && endTime !== undefined && endTime <= startTime)
    throw invalid('endTime', 'must be after startTime')
  if (draft.isPublic && !isOpenToOthers({ ...draft, ...placeless }))
    throw invalid('isPublic', 'needs a limit: anyone could spend without end')
  return draft
}

export function formatPolicy(policy: Policy, walletAddress: Address): PolicyOutput {
  const { global, perUser, perOperation } = policy
  const usd = (value: bigint | undefined) => (value === undefined ? null : formatAmount(value, usdDigits))
  const native = (value: bigint | undefined) =>
    value === undefined ? null : formatAmount(value, nativeDigits)
  const names = Object.keys(versionNames) as VersionName[]
  return {
    id: policy.id,
    walletAddress,
    name: policy.name,
    description: policy.description,
    isPublic: policy.isPublic,
    isEnabled: policy.isEnabled,
    isApplicableToAllNetworks: policy.isApplicableToAllNetworks,
    enabledChains: [...policy.enabledChains],
    supportedEPVersions: names.filter((name) => policy.versions.includes(versionNames[name])),
    isPerpetual: policy.isPerpetual,
    startTime: iso(policy.startTime),
    endTime: iso(policy.endTime),
    globalMaximumApplicable: global.applicable,
    globalMaximumUsd: usd(global.usd),
    globalMaximumNative: native(global.native),
    globalMaximumOpCount: global.count ?? null,
    perUserMaximumApplicable: perUser.applicable,
    perUserMaximumUsd: usd(perUser.usd),
    perUserMaximumNative: native(perUser.native),
    perUserMaximumOpCount: perUser.count ?? null,
    perOpMaximumApplicable: perOperation.applicable,
    perOpMaximumUsd: usd(perOperation.usd),
    perOpMaximumNative: native(perOperation.native),
    addressAllowList: policy.allowList === undefined ? null : [...policy.allowList],
    addressBlockList: policy.blockList === undefined ? null : [...policy.blockList],
    allowedTargets:
      policy.allowedTargets === undefined ? null : policy.allowedTargets.map((target) => ({ ...target })),
    whitelistApplicable: policy.whitelistApplicable,
    createdAt: new Date(policy.createdAt).toISOString(),
    updatedAt: new Date(policy.updatedAt).toISOString(),
  }
}

const placeless = { id: 0, tenantId: '', createdAt: 0, updatedAt: 0 }

type LimitsPrefix = 'globalMaximum' | 'perUserMaximum' | 'perOpMaximum'

function reach(input: PolicyInput, prefix: LimitsPrefix, existing: Reach): Reach {
  const count = prefix === 'perOpMaximum' ? undefined : input[`${prefix}OpCount`]
  return {
    applicable: input[`${prefix}Applicable`] ?? existing.applicable,
    usd: changed(input[`${prefix}Usd`], existing.usd, (given) => amount(`${prefix}Usd`, given, usdDigits)),
    native: changed(input[`${prefix}Native`], existing.native, (given) =>
      amount(`${prefix}Native`, given, nativeDigits),
    ),
    count: changed(count, existing.count, Number),
  }
}

/** Absent: as it was. Null: none any more. */
function changed<Given, Value>(
  given: Given | null | undefined,
  before: Value | undefined,
  read: (given: Given) => Value,
): Value | undefined {
  if (given === undefined) return before
  return given === null ? undefined : read(given)
}

function amount(
  field: string,
  given: number | string,
  digits: typeof usdDigits | typeof nativeDigits,
): bigint {
  const parsed = parseAmount(given, digits)
  if ('fault' in parsed) throw invalid(field, parsed.fault)
  return parsed.value
}

/** ISO 8601, UTC, with or without Z. */
const isoTime = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?)?(Z|[+-]\d{2}:\d{2})?$/

function time(field: string, text: string): number {
  const [, date = '', clock, , , zone] = isoTime.exec(text) ?? []
  const value = Date.parse(clock !== undefined && zone === undefined ? `${text}Z` : text)
  if (!isDay(date) || Number.isNaN(value)) throw invalid(field, 'must be a time in ISO 8601')
  return value
}

/** Not the 30th of February, which would be taken for a day of March. */
function isDay(date: string): boolean {
  const time = Date.parse(date)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date)
}

const iso = (value: number | undefined): string | null =>
  value === undefined ? null : new Date(value).toISOString()

const invalid = (field: string, fault: string): PaymasterError => invalidData(`${field} ${fault}`, { field })
