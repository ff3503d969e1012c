import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { type Address, getAddress, type Hex, numberToHex, size } from 'viem'
import { InvalidParams, type Json } from '../base/errors.ts'
import { nearest } from '../base/nearest.ts'
import { entryPoints } from './entrypoint.ts'
import type { EntryPointVersion } from './entrypoint-version.ts'
import { eip7702Factory, type UserOperation } from './userop.ts'
import { initCodeOf, type UserOperationStruct06, unpack06 } from './userop-pack.ts'

const described = <T extends TSchema>(schema: T, expected: string): T => ({ ...schema, expected })

/** `0x` and 20 bytes, in any case. */
export const AddressSchema = described(
  Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }),
  'an address (0x and 40 hex digits)',
)
/** `0x` and 32 bytes. */
export const HashSchema = described(Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' }), '32 bytes of hex')
/** `0x` and whole bytes. */
const DataSchema = described(
  Type.String({ pattern: '^0x([0-9a-fA-F]{2})*$' }),
  'hex bytes (0x and an even number of digits)',
)
/** `0x` hex, decimal string, safe integer, or `{type: "BigNumber", hex}` (answers.md §1). */
export const QuantitySchema = described(
  Type.Union([
    Type.String({ pattern: '^(0x[0-9a-fA-F]{1,64}|[0-9]{1,78})$' }),
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    Type.Object({ type: Type.Literal('BigNumber'), hex: Type.String({ pattern: '^0x[0-9a-fA-F]{1,64}$' }) }),
  ]),
  'a quantity (0x hex, decimal string, integer, or {type: "BigNumber", hex})',
)

const AuthorizationSchema = Type.Object(
  {
    address: AddressSchema,
    chainId: QuantitySchema,
    nonce: QuantitySchema,
    r: QuantitySchema,
    s: QuantitySchema,
    yParity: Type.Optional(QuantitySchema),
    v: Type.Optional(QuantitySchema),
  },
  { additionalProperties: false },
)

const FactorySchema = described(
  Type.String({ pattern: '^0x([0-9a-fA-F]{40}|7702|)$' }),
  'an address (0x and 40 hex digits), or 0x7702 for an EIP-7702 account',
)
const OptionalAddressSchema = described(
  Type.String({ pattern: '^0x([0-9a-fA-F]{40})?$' }),
  'an address (0x and 40 hex digits)',
)

const common = { sender: AddressSchema, nonce: QuantitySchema, callData: DataSchema }
/** What a caller that asks for an estimate may leave out. */
const priced = {
  callGasLimit: QuantitySchema,
  verificationGasLimit: QuantitySchema,
  preVerificationGas: QuantitySchema,
  maxFeePerGas: QuantitySchema,
  maxPriorityFeePerGas: QuantitySchema,
  signature: DataSchema,
}
const fields06 = { initCode: Type.Optional(DataSchema), paymasterAndData: Type.Optional(DataSchema) }
const fields07 = {
  factory: Type.Optional(FactorySchema),
  factoryData: Type.Optional(DataSchema),
  paymaster: Type.Optional(OptionalAddressSchema),
  paymasterVerificationGasLimit: Type.Optional(QuantitySchema),
  paymasterPostOpGasLimit: Type.Optional(QuantitySchema),
  paymasterData: Type.Optional(DataSchema),
  eip7702Auth: Type.Optional(AuthorizationSchema),
}
const strict = { additionalProperties: false }
const partial = Type.Partial(Type.Object(priced)).properties

const complete06 = Type.Object({ ...common, ...priced, ...fields06 }, strict)
const complete07 = Type.Object({ ...common, ...priced, ...fields07 }, strict)
/** The wire shapes: 0.6 as in interface.md, 0.7 and later as in ERC-7769. */
const UserOperationSchemas = {
  complete: { '0.6': complete06, '0.7': complete07, '0.8': complete07 },
  partial: {
    '0.6': Type.Object({ ...common, ...partial, ...fields06 }, strict),
    '0.7': Type.Object({ ...common, ...partial, ...fields07 }, strict),
    '0.8': Type.Object({ ...common, ...partial, ...fields07 }, strict),
  },
} as const satisfies Record<Completeness, Record<EntryPointVersion, TObject>>

/** `complete` to send; `partial` to estimate or sponsor: gas, fees and signature may be missing. */
export type Completeness = 'complete' | 'partial'

type Wire06 = Static<typeof complete06>
type Wire07 = Static<typeof complete07>
type Wire = Partial<Wire06 & Wire07> & Pick<Wire06, 'sender' | 'nonce' | 'callData'>
type Quantity = Static<typeof QuantitySchema>

const checkers = Object.fromEntries(
  Object.entries(UserOperationSchemas).map(([completeness, byVersion]) => [
    completeness,
    Object.fromEntries(
      Object.entries(byVersion).map(([version, schema]) => [version, TypeCompiler.Compile(schema)]),
    ),
  ]),
) as unknown as Record<
  Completeness,
  Record<EntryPointVersion, ReturnType<typeof TypeCompiler.Compile<typeof complete07>>>
>

/** Every EntryPoint refuses gas and fees above this (AA94). */
const mostGas = 2n ** 120n - 1n
const mostWord = 2n ** 256n - 1n

/** -32602 in the words of the EntryPoint, which clients look for. */
class GasOverflow extends InvalidParams {
  constructor(field: string, path: string) {
    super(`AA94 gas values overflow: ${field} must be at most ${mostGas}`, {
      path,
      aaCode: 'AA94',
      atMost: numberToHex(mostGas),
    })
  }
}

/**
 * Request JSON → UserOperation.
 * @param path where the operation stands in the request, for messages: `params[0]`
 * @throws InvalidParams naming the field
 */
export function parseUserOperation(
  input: unknown,
  version: EntryPointVersion,
  completeness: Completeness,
  path = 'params[0]',
): UserOperation {
  const wire = checkedWire(input, version, completeness, path)
  const nonce = toBigint(wire.nonce)
  if (nonce > mostWord) throw new InvalidParams('nonce is out of range', { path: `${path}.nonce` })
  const gas = (name: keyof Wire): bigint => {
    const value = wire[name] === undefined ? 0n : toBigint(wire[name] as Quantity)
    if (value > mostGas) throw new GasOverflow(name, `${path}.${name}`)
    return value
  }
  const priced = {
    version,
    sender: getAddress(wire.sender),
    nonce,
    callData: data(wire.callData),
    callGasLimit: gas('callGasLimit'),
    verificationGasLimit: gas('verificationGasLimit'),
    preVerificationGas: gas('preVerificationGas'),
    maxFeePerGas: gas('maxFeePerGas'),
    maxPriorityFeePerGas: gas('maxPriorityFeePerGas'),
    signature: data(wire.signature),
  }
  if (version === '0.6') {
    const { initCode, paymasterAndData } = {
      initCode: data(wire.initCode),
      paymasterAndData: data(wire.paymasterAndData),
    }
    requireAddressPrefix('initCode', initCode, path)
    requireAddressPrefix('paymasterAndData', paymasterAndData, path)
    return unpack06({ ...priced, initCode, paymasterAndData } as UserOperationStruct06)
  }
  const paymaster = wire.paymaster === '0x' ? undefined : checksummed(wire.paymaster as Address | undefined)
  if (paymaster !== undefined && completeness === 'complete') {
    for (const name of ['paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'] as const) {
      if (wire[name] === undefined) {
        throw new InvalidParams(`${name} is required with paymaster`, { path: `${path}.${name}` })
      }
    }
  }
  const factory = parseFactory(wire.factory)
  return {
    ...priced,
    factory,
    factoryData: factory === undefined ? '0x' : data(wire.factoryData),
    paymaster,
    paymasterVerificationGasLimit: paymaster === undefined ? 0n : gas('paymasterVerificationGasLimit'),
    paymasterPostOpGasLimit: paymaster === undefined ? 0n : gas('paymasterPostOpGasLimit'),
    paymasterData: paymaster === undefined ? '0x' : data(wire.paymasterData),
    eip7702Auth: wire.eip7702Auth === undefined ? undefined : parseAuthorization(wire.eip7702Auth, path),
  }
}

/** The wire form: minimal lower-case quantities, lower-case data, EIP-55 addresses, absent fields left out. */
export function formatUserOperation(op: UserOperation): { [field: string]: Json } {
  const base = {
    sender: getAddress(op.sender),
    nonce: numberToHex(op.nonce),
    callData: op.callData,
    callGasLimit: numberToHex(op.callGasLimit),
    verificationGasLimit: numberToHex(op.verificationGasLimit),
    preVerificationGas: numberToHex(op.preVerificationGas),
    maxFeePerGas: numberToHex(op.maxFeePerGas),
    maxPriorityFeePerGas: numberToHex(op.maxPriorityFeePerGas),
    signature: op.signature,
  }
  if (op.version === '0.6') {
    const { paymasterAndData } = entryPoints['0.6'].pack(op)
    return { ...base, initCode: lower(initCodeOf(op)), paymasterAndData: lower(paymasterAndData) }
  }
  return {
    ...base,
    ...(op.factory === undefined
      ? {}
      : {
          factory: op.factory === eip7702Factory ? '0x7702' : getAddress(op.factory),
          factoryData: op.factoryData,
        }),
    ...(op.paymaster === undefined
      ? {}
      : {
          paymaster: getAddress(op.paymaster),
          paymasterVerificationGasLimit: numberToHex(op.paymasterVerificationGasLimit),
          paymasterPostOpGasLimit: numberToHex(op.paymasterPostOpGasLimit),
          paymasterData: op.paymasterData,
        }),
    ...(op.eip7702Auth === undefined ? {} : { eip7702Auth: formatAuthorization(op.eip7702Auth) }),
  }
}

/** Null counts as absent, everywhere in the operation; then the schema decides. */
function checkedWire(
  input: unknown,
  version: EntryPointVersion,
  completeness: Completeness,
  path: string,
): Wire {
  if (!isRecord(input)) {
    throw new InvalidParams('a UserOperation object is expected', { path })
  }
  const present = withoutNulls(input)
  const checker = checkers[completeness][version]
  if (checker.Check(present)) return present
  // A misspelt field tells more than the one that is missing for it.
  const errors = [...checker.Errors(present)]
  const first = errors.find((error) => error.message === unexpected) ?? errors[0]
  const field = first?.path.slice(1).replaceAll('/', '.') ?? ''
  const name = field.split('.').at(-1) ?? field
  const schema = UserOperationSchemas[completeness][version]
  const fieldPath = field === '' ? path : `${path}.${field}`
  if (first?.message === unexpected) {
    const suggestion = nearest(
      name,
      Object.keys(schema.properties).filter((known) => !(known in present)),
    )
    const hint = suggestion === undefined ? undefined : `did you mean ${suggestion}?`
    throw new InvalidParams(`${name} is not a field of a ${version} UserOperation`, { path: fieldPath, hint })
  }
  const missing = first?.value === undefined
  const expected = expectedBy(first?.schema, schema, field)
  throw new InvalidParams(missing ? `${name} is missing` : `${name} must be ${expected}`, { path: fieldPath })
}

/** What TypeBox says of a field that the schema lacks. */
const unexpected = 'Unexpected property'

function withoutNulls(input: object): { [field: string]: unknown } {
  const present = Object.entries(input).filter(([, value]) => value !== null)
  return Object.fromEntries(
    present.map(([name, value]) => [
      name,
      name === 'eip7702Auth' && isRecord(value) ? withoutNulls(value) : value,
    ]),
  )
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function expectedBy(schema: TSchema | undefined, whole: TObject, field: string): string {
  const top = whole.properties[field.split('.')[0] ?? ''] as (TSchema & { expected?: string }) | undefined
  return (schema as { expected?: string } | undefined)?.expected ?? top?.expected ?? 'of the documented type'
}

function toBigint(value: Quantity): bigint {
  return typeof value === 'object' ? BigInt(value.hex) : BigInt(value)
}

const data = (value: string | undefined): Hex => (value === undefined ? '0x' : lower(value as Hex))
const lower = (value: Hex): Hex => value.toLowerCase() as Hex
const checksummed = (value: Address | undefined): Address | undefined =>
  value === undefined ? undefined : getAddress(value)

function parseFactory(value: string | undefined): Address | undefined {
  if (value === undefined || value === '0x') return undefined
  return value === '0x7702' || value === eip7702Factory ? eip7702Factory : getAddress(value)
}

function requireAddressPrefix(name: string, bytes: Hex, path: string): void {
  if (bytes === '0x' || size(bytes) >= 20) return
  throw new InvalidParams(`${name} must be 0x or begin with an address (20 bytes)`, {
    path: `${path}.${name}`,
  })
}

/** yParity (EIP-2930), and v as it was before. */
const parities: ReadonlyMap<bigint, number> = new Map([
  [0n, 0],
  [1n, 1],
  [27n, 0],
  [28n, 1],
])

function parseAuthorization(
  wire: Static<typeof AuthorizationSchema>,
  path: string,
): NonNullable<UserOperation['eip7702Auth']> {
  const parity = wire.yParity ?? wire.v
  const parityPath = { path: `${path}.eip7702Auth.yParity` }
  if (parity === undefined) throw new InvalidParams('yParity is missing', parityPath)
  const yParity = parities.get(toBigint(parity))
  if (yParity === undefined) throw new InvalidParams('yParity must be 0 or 1 (or v 27 or 28)', parityPath)
  const chainId = toBigint(wire.chainId)
  const nonce = toBigint(wire.nonce)
  const [r, s] = [toBigint(wire.r), toBigint(wire.s)]
  const isInRange =
    chainId <= Number.MAX_SAFE_INTEGER && nonce <= Number.MAX_SAFE_INTEGER && r <= mostWord && s <= mostWord
  if (!isInRange) {
    throw new InvalidParams('eip7702Auth is out of range', { path: `${path}.eip7702Auth` })
  }
  return {
    address: getAddress(wire.address),
    chainId: Number(chainId),
    nonce: Number(nonce),
    r: numberToHex(r, { size: 32 }),
    s: numberToHex(s, { size: 32 }),
    yParity,
  }
}

function formatAuthorization(auth: NonNullable<UserOperation['eip7702Auth']>): Json {
  return {
    address: auth.address,
    chainId: numberToHex(auth.chainId),
    nonce: numberToHex(auth.nonce),
    r: auth.r,
    s: auth.s,
    yParity: numberToHex(auth.yParity ?? 0),
  }
}
