import { PaymasterError } from '../../paymaster/paymaster-error.ts'

/** What a paymaster call says about who asks and for which chain, as it was sent. */
export type Credentials = {
  apiKey: string | undefined
  chainId: number | undefined
  /** The tenant's own verifying paymaster instead of the shared one. */
  useVp: boolean
}

/** Where a call has them among its `params` (answers.md §2). */
export type Positions = {
  chainId?: number
  apiKey?: number
  /** That place of the chain comes before all others (ERC-7677). */
  chainIdFirst?: true
}

/** What of a request may hold them. */
export type Sources = {
  query: URLSearchParams
  headers: Headers
  /** Top-level fields of the body. */
  body: { readonly [field: string]: unknown }
  params: readonly unknown[]
}

/** The key of a query or a header, for calls that have it nowhere else. */
export function readApiKey(query: URLSearchParams, headers: Headers): string | undefined {
  return (
    query.get('apiKey') ||
    query.get('api-key') ||
    headers.get('apikey') ||
    headers.get('x-api-key') ||
    undefined
  )
}

/**
 * Each is looked for in the query, then at the top level of the body, then in a header, then among the params.
 * @throws PaymasterError 400 for a chain id or a useVp that is none
 */
export function readCredentials(
  { query, headers, body, params }: Sources,
  positions: Positions = {},
): Credentials {
  const first = (name: string, header: string | undefined, place: unknown): unknown =>
    present(query.get(name)) ?? present(body[name]) ?? present(header) ?? place
  const chainPlace = placed(params, positions.chainId)
  const apiKey = first('apiKey', readApiKey(query, headers), placed(params, positions.apiKey))
  const named = first('chainId', headers.get('chainid') ?? undefined, chainPlace)
  const chainId = positions.chainIdFirst ? (chainPlace ?? named) : named
  const useVp = first('useVp', undefined, undefined)
  return {
    apiKey: typeof apiKey === 'string' ? apiKey : undefined,
    chainId: chainId === undefined ? undefined : readChainId(chainId),
    useVp: useVp === undefined ? false : readFlag('useVp', useVp),
  }
}

/** Null and empty text count as absent. */
const present = (value: unknown): unknown => (value === null || value === '' ? undefined : value)

const placed = (params: readonly unknown[], position: number | undefined): unknown =>
  position === undefined ? undefined : present(params[position])

/** Decimal text, hex text or a number. */
export function readChainId(given: unknown): number {
  const text = typeof given === 'number' ? String(given) : given
  const valid = typeof text === 'string' && /^(\d{1,16}|0x[0-9a-fA-F]{1,13})$/.test(text)
  const chainId = valid ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(chainId) || chainId === 0)
    throw new PaymasterError('invalid', 'invalid_chain_id', 'Invalid chainId')
  return chainId
}

const flags: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
])

/** @throws PaymasterError 400 naming the flag */
export function readFlag(name: string, given: unknown): boolean {
  const flag = flags.get(String(given).toLowerCase())
  if (flag === undefined) throw new PaymasterError('invalid', `invalid_${name}`, `Invalid ${name}`)
  return flag
}
