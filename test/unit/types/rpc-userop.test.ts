import { describe, expect, test } from 'bun:test'
import { type Address, zeroAddress } from 'viem'
import { InvalidParams, type Json, TandemError } from '../../../src/base/errors.ts'
import { type EntryPointVersion, entryPointVersions } from '../../../src/types/entrypoint-version.ts'
import { type Completeness, formatUserOperation, parseUserOperation } from '../../../src/types/rpc-userop.ts'
import { eip7702Factory, factoryOf, paymasterOf } from '../../../src/types/userop.ts'
import { random, randomOperation } from '../../support/random.ts'

const sender: Address = '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789'
const other: Address = '0x0000000071727De22E5E9d8BAf0edAc6f37da032'
const lower = (text: string) => text.toLowerCase()

type Wire = { [field: string]: unknown }

const common: Wire = {
  sender,
  nonce: '0x1',
  callData: '0xAB',
  callGasLimit: '0x2',
  verificationGasLimit: '0x3',
  preVerificationGas: '0x4',
  maxFeePerGas: '0x5',
  maxPriorityFeePerGas: '0x6',
  signature: '0x07',
}
const wires: Record<EntryPointVersion, Wire> = {
  '0.6': { ...common, initCode: '0x', paymasterAndData: '0x' },
  '0.7': common,
  '0.8': common,
}

/** A complete operation in wire form, with changes; `undefined` takes a field out. */
function wire(version: EntryPointVersion, changes: Wire = {}): Wire {
  return JSON.parse(JSON.stringify({ ...wires[version], ...changes }))
}

function parse(version: EntryPointVersion, changes: Wire = {}, completeness: Completeness = 'complete') {
  return parseUserOperation(wire(version, changes), version, completeness)
}

/** The error as the caller sees it. */
function refusal(task: () => unknown): { message: string; data: Json | undefined } {
  try {
    task()
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidParams)
    if (error instanceof TandemError) return { message: error.message, data: error.data }
  }
  throw new Error('it was accepted')
}

describe('every version', () => {
  test.each([...entryPointVersions])('%s: a plain operation', (version) => {
    expect(parse(version)).toEqual({
      version,
      sender,
      nonce: 1n,
      factory: undefined,
      factoryData: '0x',
      callData: '0xab',
      callGasLimit: 2n,
      verificationGasLimit: 3n,
      preVerificationGas: 4n,
      maxFeePerGas: 5n,
      maxPriorityFeePerGas: 6n,
      paymaster: undefined,
      paymasterVerificationGasLimit: 0n,
      paymasterPostOpGasLimit: 0n,
      paymasterData: '0x',
      signature: '0x07',
      eip7702Auth: undefined,
    })
  })

  test.each([...entryPointVersions])('%s: what is formatted is parsed to the same again', (version) => {
    const source = random(7)
    for (let round = 0; round < 500; round += 1) {
      const op = randomOperation(source, version)
      const formatted = formatUserOperation(op)
      expect(parseUserOperation(formatted, version, 'complete')).toEqual(op)
      expect(JSON.parse(JSON.stringify(formatted))).toEqual(formatted)
    }
  })
})

describe('numbers', () => {
  test.each([
    ['0x2a', 42n],
    ['0x00002A', 42n],
    ['42', 42n],
    [42, 42n],
    [0, 0n],
    [{ type: 'BigNumber', hex: '0x2a' }, 42n],
    [Number.MAX_SAFE_INTEGER, 9_007_199_254_740_991n],
  ])('%j', (form, value) => {
    expect(parse('0.7', { nonce: form }).nonce).toBe(value)
  })

  const others = [-1, 1.5, 2 ** 53, '', '0x', '0xg', '-1', ' 1', '1e3', true, [], {}, { hex: '0x1' }]
  for (const form of others) {
    test(`not ${JSON.stringify(form)}`, () => {
      expect(refusal(() => parse('0.7', { nonce: form }))).toEqual({
        message: 'nonce must be a quantity (0x hex, decimal string, integer, or {type: "BigNumber", hex})',
        data: { path: 'params[0].nonce' },
      })
    })
  }

  test('the largest nonce', () => {
    const largest = 2n ** 256n - 1n
    expect(parse('0.7', { nonce: `0x${largest.toString(16)}` }).nonce).toBe(largest)
    expect(parse('0.7', { nonce: largest.toString() }).nonce).toBe(largest)
    expect(refusal(() => parse('0.7', { nonce: (largest + 1n).toString() }))).toEqual({
      message: 'nonce is out of range',
      data: { path: 'params[0].nonce' },
    })
  })

  describe.each([...entryPointVersions])('gas and fees of %s', (version) => {
    const most = 2n ** 120n - 1n
    test.each([
      'callGasLimit',
      'verificationGasLimit',
      'preVerificationGas',
      'maxFeePerGas',
      'maxPriorityFeePerGas',
    ] as const)('%s', (field) => {
      expect(parse(version, { [field]: most.toString() })[field]).toBe(most)
      expect(refusal(() => parse(version, { [field]: (most + 1n).toString() }))).toEqual({
        message: `AA94 gas values overflow: ${field} must be at most ${most}`,
        data: { path: `params[0].${field}`, aaCode: 'AA94', atMost: `0x${'f'.repeat(30)}` },
      })
    })
  })
})

describe('null and absence', () => {
  test('null is absent in optional fields', () => {
    const nulls = {
      factory: null,
      factoryData: null,
      paymaster: null,
      paymasterData: null,
      eip7702Auth: null,
    }
    expect(parse('0.7', nulls)).toEqual(parse('0.7'))
    expect(parse('0.6', { initCode: null, paymasterAndData: null })).toEqual(parse('0.6'))
  })

  test('an unknown field that is null is no error', () => {
    expect(parse('0.7', { initCode: null })).toEqual(parse('0.7'))
  })

  test.each([
    ['0.6', 'sender'],
    ['0.6', 'signature'],
    ['0.7', 'nonce'],
    ['0.8', 'maxFeePerGas'],
  ] as const)('%s: %s missing or null', (version, field) => {
    const missing = { message: `${field} is missing`, data: { path: `params[0].${field}` } }
    expect(refusal(() => parse(version, { [field]: undefined }))).toEqual(missing)
    expect(refusal(() => parse(version, { [field]: null }))).toEqual(missing)
  })

  test('gas, fees and signature may be missing from an estimate', () => {
    const priced = {
      callGasLimit: undefined,
      verificationGasLimit: undefined,
      preVerificationGas: undefined,
      maxFeePerGas: undefined,
      maxPriorityFeePerGas: undefined,
      signature: undefined,
    }
    expect(parse('0.7', priced, 'partial')).toMatchObject({
      callGasLimit: 0n,
      maxFeePerGas: 0n,
      signature: '0x',
    })
    expect(refusal(() => parse('0.7', { ...priced, sender: undefined }, 'partial')).message).toBe(
      'sender is missing',
    )
  })

  for (const input of [null, 'text', 7, [], undefined]) {
    test(`${JSON.stringify(input)} is no operation`, () => {
      expect(refusal(() => parseUserOperation(input, '0.7', 'complete', 'params[3]'))).toEqual({
        message: 'a UserOperation object is expected',
        data: { path: 'params[3]' },
      })
    })
  }
})

describe('names', () => {
  const misspelt: [EntryPointVersion, Completeness, string, Wire, string][] = [
    ['0.7', 'partial', 'callGasLimt', { callGasLimit: undefined }, 'callGasLimit'],
    ['0.7', 'complete', 'callGasLimt', { callGasLimit: undefined }, 'callGasLimit'],
    ['0.6', 'complete', 'initcode', { initCode: undefined }, 'initCode'],
    ['0.7', 'complete', 'paymastreData', {}, 'paymasterData'],
  ]
  test.each(misspelt)('%s, %s: %s', (version, completeness, field, changes, suggestion) => {
    expect(refusal(() => parse(version, { ...changes, [field]: '0x01' }, completeness))).toEqual({
      message: `${field} is not a field of a ${version} UserOperation`,
      data: { path: `params[0].${field}`, hint: `did you mean ${suggestion}?` },
    })
  })

  test('a field of another version', () => {
    expect(refusal(() => parse('0.7', { paymasterAndData: '0x' })).message).toBe(
      'paymasterAndData is not a field of a 0.7 UserOperation',
    )
    expect(refusal(() => parse('0.6', { factory: other })).message).toBe(
      'factory is not a field of a 0.6 UserOperation',
    )
  })

  test.each(['__proto__', 'constructor', 'toString'])('%s is not a field', (name) => {
    const text = JSON.stringify(wire('0.7')).replace('{', `{"${name}":"0x",`)
    expect(refusal(() => parseUserOperation(JSON.parse(text), '0.7', 'complete')).message).toBe(
      `${name} is not a field of a 0.7 UserOperation`,
    )
  })
})

describe('wrong kinds', () => {
  test.each([
    ['sender', '0x12', 'sender must be an address (0x and 40 hex digits)'],
    ['sender', 12, 'sender must be an address (0x and 40 hex digits)'],
    ['callData', '0xabc', 'callData must be hex bytes (0x and an even number of digits)'],
    ['callData', 'abcd', 'callData must be hex bytes (0x and an even number of digits)'],
    [
      'factory',
      '0x77',
      'factory must be an address (0x and 40 hex digits), or 0x7702 for an EIP-7702 account',
    ],
    ['paymaster', '0x12', 'paymaster must be an address (0x and 40 hex digits)'],
  ])('%s: %j', (field, value, message) => {
    expect(refusal(() => parse('0.7', { [field]: value }))).toEqual({
      message,
      data: { path: `params[0].${field}` },
    })
  })
})

describe('factory', () => {
  test('0.6: the first 20 bytes of initCode', () => {
    const op = parse('0.6', { initCode: `${lower(other)}ABCD` })
    expect([op.factory, op.factoryData]).toEqual([other, '0xabcd'])
    expect(formatUserOperation(op).initCode).toBe(`${lower(other)}abcd`)
  })

  test('0.6: an initCode that holds no address', () => {
    expect(refusal(() => parse('0.6', { initCode: '0x1234' }))).toEqual({
      message: 'initCode must be 0x or begin with an address (20 bytes)',
      data: { path: 'params[0].initCode' },
    })
  })

  test('0.7: factoryData defaults to nothing', () => {
    const op = parse('0.7', { factory: lower(other) })
    expect([op.factory, op.factoryData]).toEqual([other, '0x'])
  })

  test('0.7: 0x means none', () => {
    expect(parse('0.7', { factory: '0x', factoryData: '0x' })).toEqual(parse('0.7'))
  })
})

describe('paymaster', () => {
  const limits = { paymasterVerificationGasLimit: '0x8', paymasterPostOpGasLimit: '0x9' }

  test('0.6: the zero address means none, and its bytes are kept', () => {
    const bytes = `${zeroAddress}abcd`
    const op = parse('0.6', { paymasterAndData: bytes })
    expect(paymasterOf(op)).toBeUndefined()
    expect(formatUserOperation(op).paymasterAndData).toBe(bytes)
  })

  test('0.6: a paymasterAndData that holds no address', () => {
    expect(refusal(() => parse('0.6', { paymasterAndData: '0x12' }))).toEqual({
      message: 'paymasterAndData must be 0x or begin with an address (20 bytes)',
      data: { path: 'params[0].paymasterAndData' },
    })
  })

  test('0.7: with its limits; paymasterData defaults to nothing', () => {
    const op = parse('0.7', { paymaster: lower(other), ...limits })
    expect(op).toMatchObject({
      paymaster: other,
      paymasterVerificationGasLimit: 8n,
      paymasterPostOpGasLimit: 9n,
      paymasterData: '0x',
    })
    expect(paymasterOf(op)).toBe(other)
  })

  test.each(['paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'])(
    '0.7: %s is needed to send',
    (field) => {
      const changes = { paymaster: other, ...limits, [field]: undefined }
      expect(refusal(() => parse('0.7', changes))).toEqual({
        message: `${field} is required with paymaster`,
        data: { path: `params[0].${field}` },
      })
      expect(parse('0.7', changes, 'partial').paymaster).toBe(other)
    },
  )

  test('0.7: 0x means none, whatever the other fields say', () => {
    expect(parse('0.7', { paymaster: '0x', paymasterData: '0x12', ...limits })).toEqual(parse('0.7'))
  })
})

describe('EIP-7702', () => {
  const word = (digit: string) => `0x${digit.repeat(64)}`
  const auth = { address: lower(other), chainId: '0x1', nonce: 5, r: word('a'), s: word('b'), yParity: '0x1' }
  const parsed = { address: other, chainId: 1, nonce: 5, r: word('a'), s: word('b'), yParity: 1 }

  test.each(['0x7702', eip7702Factory])('%s as factory is the marker, not a factory', (factory) => {
    const op = parse('0.8', { factory, factoryData: '0x12', eip7702Auth: auth })
    expect([op.factory, op.factoryData]).toEqual([eip7702Factory, '0x12'])
    expect(factoryOf(op)).toBeUndefined()
    expect(formatUserOperation(op).factory).toBe('0x7702')
  })

  test('the authorization in each of its forms', () => {
    const { yParity, ...bare } = auth
    const authOf = (eip7702Auth: Wire) => parse('0.8', { eip7702Auth }).eip7702Auth
    expect(authOf(auth)).toEqual(parsed as never)
    expect(authOf({ ...bare, v: 28 })).toEqual(parsed as never)
    expect(authOf({ ...bare, v: '0x1b', yParity })).toEqual(parsed as never)
    expect(authOf({ ...auth, v: null })).toEqual(parsed as never)
    expect(authOf({ ...auth, r: '0x1' })).toEqual({ ...parsed, r: `0x${'1'.padStart(64, '0')}` } as never)
  })

  test('AUTH-010: one authorization, and no list of them', () => {
    expect(refusal(() => parse('0.8', { eip7702Auth: [auth, auth] as never })).data).toEqual({
      path: 'params[0].eip7702Auth',
    })
  })

  test('its wire form', () => {
    expect(formatUserOperation(parse('0.8', { eip7702Auth: auth })).eip7702Auth).toEqual({
      ...auth,
      address: other,
      nonce: '0x5',
    })
  })

  test.each([
    [{ r: undefined }, 'r is missing', 'eip7702Auth.r'],
    [{ yParity: undefined }, 'yParity is missing', 'eip7702Auth.yParity'],
    [{ address: '0x12' }, 'address must be an address (0x and 40 hex digits)', 'eip7702Auth.address'],
    [{ nonce: `${2n ** 60n}` }, 'eip7702Auth is out of range', 'eip7702Auth'],
    [{ r: `${2n ** 256n}` }, 'eip7702Auth is out of range', 'eip7702Auth'],
    [{ s: '9'.repeat(78) }, 'eip7702Auth is out of range', 'eip7702Auth'],
  ])('not with %j', (changes, message, path) => {
    expect(refusal(() => parse('0.8', { eip7702Auth: { ...auth, ...changes } }))).toEqual({
      message,
      data: { path: `params[0].${path}` },
    })
  })

  test.each([2, 26, 29, '0xff'])('not with the parity %j', (v) => {
    const changes = { eip7702Auth: { ...auth, yParity: v } }
    expect(refusal(() => parse('0.8', changes))).toEqual({
      message: 'yParity must be 0 or 1 (or v 27 or 28)',
      data: { path: 'params[0].eip7702Auth.yParity' },
    })
  })
})

test('whatever is sent, it is parsed or refused as invalid params', () => {
  const source = random(4337)
  const values: unknown[] = [
    '0x',
    '0x1',
    '0x7702',
    sender,
    1,
    -1,
    1.5,
    null,
    [],
    {},
    true,
    'x',
    { type: 'BigNumber', hex: '0x1' },
  ]
  const fields = [
    ...Object.keys(wires['0.6']),
    'factory',
    'paymaster',
    'eip7702Auth',
    'paymasterData',
    'unknown',
  ]
  for (let round = 0; round < 3000; round += 1) {
    const changes: Wire = {}
    for (let change = 0; change < 3; change += 1)
      changes[fields[source.int(fields.length)] ?? ''] = values[source.int(values.length)]
    const version = entryPointVersions[source.int(3)] ?? '0.8'
    const completeness = source.chance(0.5) ? 'complete' : 'partial'
    try {
      parse(version, changes, completeness)
    } catch (error) {
      if (!(error instanceof InvalidParams)) throw error
      expect(error.data?.path).toStartWith('params[0]')
    }
  }
})
