import { FormatRegistry, type SchemaOptions, type TSchema, Type } from '@sinclair/typebox'
import { type Address, getAddress, type Hex, parseUnits } from 'viem'
import type { Json } from '../base/errors.ts'
import { parseIpRange } from '../base/ip.ts'

/** What every setting says about itself; the help text, the reference and all messages come from it. */
export type About = SchemaOptions & {
  description: string
  /** of a number: `ms`, `gas`, `blocks`… */
  unit?: string
  /** In the form in which a file gives it. A setting without one is required, unless it is optional. */
  default?: Json
  /** What stands in the reference where the default is computed, or where absence means something. */
  defaultText?: string
  /** `always`: never shown. `url`: shown without what may be a key. May be given as `@file` or `env:NAME`. */
  secret?: 'always' | 'url'
}

/** A property of the schema: how its value is checked and decoded, and what it says about itself. */
export type Setting = TSchema & About & { expected: string }

/** 2^53 − 1: what JSON carries exactly. */
const largest = Number.MAX_SAFE_INTEGER

export function count(about: About & { minimum?: number; maximum?: number }) {
  const { minimum = 0, maximum = largest } = about
  const upward = minimum === 0 ? 'an integer' : `an integer of at least ${minimum}`
  const expected = maximum === largest ? upward : `an integer from ${minimum} to ${maximum}`
  return Type.Integer({ ...about, minimum, maximum, expected })
}

/** A part of a whole, as a number. */
export function share(about: About) {
  return Type.Number({ ...about, minimum: 0, maximum: 1, expected: 'a number from 0 to 1' })
}

FormatRegistry.Set('port-or-none', (value) => value === 'none' || isPort(Number(value)))
const highestPort = 65_535
const isPort = (value: number) => Number.isInteger(value) && value >= 0 && value <= highestPort

/** A port; decoded to a number, and `none` to `undefined`. */
export function portOrNone(about: About) {
  const expected = `an integer from 0 to ${highestPort}, or none`
  const text = Type.String({ pattern: '^([0-9]{1,5}|none)$', format: 'port-or-none' })
  const integer = Type.Integer({ minimum: 0, maximum: highestPort })
  return Type.Transform(Type.Union([text, integer], { ...about, expected }))
    .Decode((value) => (value === 'none' ? undefined : Number(value)))
    .Encode((value) => value ?? 'none')
}

/** Gas as a JSON number; decoded to bigint. */
export function gas(about: About & { minimum?: number }) {
  return Type.Transform(count({ unit: 'gas', ...about }))
    .Decode((value) => BigInt(value))
    .Encode(Number)
}

export function bool(about: About) {
  return Type.Boolean({ ...about, expected: 'true or false' })
}

const decimals = { wei: 0, gwei: 9, eth: 18 } as const
const amountPattern =
  '^([0-9]{1,60}( ?wei)?|[0-9]{1,40}(\\.[0-9]{1,9})? ?gwei|[0-9]{1,30}(\\.[0-9]{1,18})? ?eth)$'

/** An amount of the native coin, such as `1 eth`, `1.5 gwei` or `1000` (wei); decoded to wei. */
export function wei(about: About) {
  const expected = 'an amount such as "1 eth", "1.5 gwei" or "1000" (wei)'
  const text = Type.String({ pattern: amountPattern })
  const integer = Type.Integer({ minimum: 0, maximum: largest })
  return Type.Transform(Type.Union([text, integer], { unit: 'wei', ...about, expected }))
    .Decode((value) => weiOf(String(value)))
    .Encode(String)
}

function weiOf(amount: string): bigint {
  const number = amount.replace(/ ?(wei|gwei|eth)$/, '')
  const unit = amount.endsWith('gwei') ? 'gwei' : amount.endsWith('eth') ? 'eth' : 'wei'
  return parseUnits(number, decimals[unit])
}

export function address(about: About) {
  return Type.Transform(Type.String({ ...about, ...addressForm }))
    .Decode((value): Address => getAddress(value.toLowerCase()))
    .Encode(String)
}
const addressForm = { pattern: '^0x[0-9a-fA-F]{40}$', expected: 'an address (0x and 40 hex digits)' }

export function addresses(about: About) {
  return Type.Array(address({ description: 'an address' }), {
    ...about,
    expected: 'a list of addresses (0x and 40 hex digits)',
  })
}

/** Order of secp256k1: a private key is from 1 to one less. */
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
FormatRegistry.Set('private-key', (value) => {
  if (!/^(0x)?[0-9a-fA-F]{64}$/.test(value)) return false
  const key = BigInt(`0x${value.replace(/^0x/, '')}`)
  return key > 0n && key < curveOrder
})

export function privateKey(about: About) {
  const expected = 'a private key (32 bytes of hex)'
  return Type.Transform(Type.String({ ...about, format: 'private-key', expected }))
    .Decode((value): Hex => `0x${value.replace(/^0x/, '').toLowerCase()}`)
    .Encode(String)
}

export function privateKeys(about: About) {
  return Type.Array(privateKey({ description: 'a private key' }), {
    ...about,
    minItems: 1,
    expected: 'a list of private keys (32 bytes of hex each)',
  })
}

/** A secret of 32 bytes; decoded to lower-case hex with `0x`. */
export function bytes32(about: About) {
  const expected = '32 bytes of hex'
  return Type.Transform(Type.String({ ...about, pattern: '^(0x)?[0-9a-fA-F]{64}$', expected }))
    .Decode((value): Hex => `0x${value.replace(/^0x/, '').toLowerCase()}`)
    .Encode(String)
}

FormatRegistry.Set('absolute-url', (value) => URL.canParse(value))

/** A URL of one of `schemes`. */
export function url(schemes: readonly string[], about: About) {
  const expected = `a URL (${schemes.map((scheme) => `${scheme}://…`).join(', ')})`
  return Type.String({
    ...about,
    pattern: `^(${schemes.join('|')})://\\S+$`,
    format: 'absolute-url',
    expected,
  })
}

export function urls(schemes: readonly string[], about: About) {
  const forms = schemes.map((scheme) => `${scheme}://…`).join(', ')
  return Type.Array(url(schemes, { description: 'a URL' }), {
    ...about,
    minItems: 1,
    uniqueItems: true,
    expected: `a list of different URLs (${forms})`,
  })
}

/** Host header names; case and ports do not count. */
export function hostNames(about: About) {
  const name = Type.Transform(Type.String({ pattern: '^[^\\s/:]+(:[0-9]{1,5})?$' }))
    .Decode((value) => value.toLowerCase().replace(/:\d+$/, ''))
    .Encode(String)
  return Type.Array(name, { ...about, expected: 'a list of host names, without scheme and path' })
}

FormatRegistry.Set('ip-range', (value) => parseIpRange(value) !== undefined)

/** Addresses and ranges of them, IPv4 and IPv6. */
export function ipRanges(about: About) {
  return Type.Array(Type.String({ format: 'ip-range' }), {
    ...about,
    expected: 'a list of IP addresses and ranges (10.0.0.0/8, 2001:db8::1)',
  })
}

export function text(about: About & { pattern?: string; expected: string }) {
  return Type.String({ minLength: 1, ...about })
}

/** At least one of `choices`, each once. */
export function someOf<const Choice extends string>(choices: readonly Choice[], about: About) {
  return Type.Array(oneOf(choices, { description: 'one of them' }), {
    ...about,
    minItems: 1,
    uniqueItems: true,
    expected: `a list of: ${choices.join(', ')}`,
  })
}

export function oneOf<const Choice extends string>(choices: readonly Choice[], about: About) {
  const expected =
    choices.length === 1 ? `${choices[0]}, the only one there is` : `one of: ${choices.join(', ')}`
  const union = Type.Union(
    choices.map((choice) => Type.Literal(choice)),
    { ...about, expected },
  )
  return Type.Unsafe<Choice>(union)
}
