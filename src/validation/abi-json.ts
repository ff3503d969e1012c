import type { Json } from '../base/errors.ts'

/** What a decoder gives. */
export type AbiValue =
  | string
  | number
  | bigint
  | boolean
  | readonly AbiValue[]
  | { readonly [field: string]: AbiValue }

/** @param ofBigint how integers that do not fit a number are written */
export function abiJson(value: AbiValue, ofBigint: (value: bigint) => string): Json {
  if (typeof value === 'bigint') return ofBigint(value)
  if (typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((item: AbiValue) => abiJson(item, ofBigint))
  return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, abiJson(item, ofBigint)]))
}
