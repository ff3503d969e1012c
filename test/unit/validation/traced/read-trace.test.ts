import { describe, expect, test } from 'bun:test'
import type { Json } from '../../../../src/base/errors.ts'
import { entryPointVersions } from '../../../../src/types/entrypoint-version.ts'
import { MalformedTrace, readTrace } from '../../../../src/validation/traced/read-trace.ts'
import { type Random, random } from '../../../support/random.ts'

type Fields = { [field: string]: Json | undefined }

/** A frame as erc7562Tracer tells it (geth, eth/tracers/native/erc7562.go). */
const wireFrame = (changes: Fields = {}): Fields => ({
  from: '0x00000000000000000000000000000000000000aa',
  gas: '0x5208',
  gasUsed: '0x15',
  to: '0x00000000000000000000000000000000000000bb',
  input: '0x12345678',
  value: '0x2',
  accessedSlots: {
    reads: { [`0x${'0'.repeat(63)}1`]: [`0x${'0'.repeat(64)}`] },
    writes: { [`0x${'0'.repeat(63)}2`]: 3 },
    transientReads: { [`0x${'0'.repeat(63)}3`]: 1 },
    transientWrites: { [`0x${'0'.repeat(63)}4`]: 1 },
  },
  extCodeAccessInfo: ['0x00000000000000000000000000000000000000cc'],
  usedOpcodes: { '0x0': 1, '0x54': 2 },
  contractSize: { '0x00000000000000000000000000000000000000cc': { contractSize: 7, opcode: 59 } },
  outOfGas: false,
  type: 'CALL',
  ...changes,
})

const read = (answer: Fields) => readTrace(answer as Json)

test('a call with all that is told of it', () => {
  expect(read(wireFrame({ keccak: ['0x', '0xab'] }))).toEqual({
    preimages: ['0x', '0xab'],
    root: {
      type: 'CALL',
      from: 0xaan,
      to: 0xbbn,
      value: 2n,
      input: '0x12345678',
      output: '0x',
      gasUsed: 21,
      error: undefined,
      outOfGas: false,
      reads: [1n],
      writes: [2n],
      transientReads: [3n],
      transientWrites: [4n],
      opcodes: new Map([
        [0x00, 1],
        [0x54, 2],
      ]),
      looksAtCode: [0xccn],
      contracts: [{ address: 0xccn, codeSize: 7, opcode: 0x3b }],
      calls: [],
    },
  })
})

test('a static call has no value, a creation that failed no address', () => {
  const created = wireFrame({ type: 'CREATE2', to: undefined, error: 'execution reverted', output: '0xff' })
  const calls = [wireFrame({ type: 'STATICCALL', value: undefined }), created]
  const { root } = read(wireFrame({ calls: calls as Json }))
  expect(root.calls).toMatchObject([
    { type: 'STATICCALL', value: 0n },
    { type: 'CREATE2', to: undefined, error: 'execution reverted', output: '0xff' },
  ])
})

describe.each([...entryPointVersions])('what geth answered about an operation of %s', async (version) => {
  const file = Bun.file(`${import.meta.dir}/../../../support/traces/simple-account-${version}.json`)
  const { trace } = (await file.json()) as { trace: Json }

  test('is read', () => {
    expect(readTrace(trace).root.calls.length).toBeGreaterThanOrEqual(2)
  })

  test('and mangled at random it is read or refused, never more', () => {
    const dice = random(7562)
    for (let round = 0; round < 300; round += 1) {
      const mangled = structuredClone(trace)
      mangle(mangled, dice)
      try {
        readTrace(mangled)
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedTrace)
      }
    }
  })
})

test.each([
  ['nothing', null],
  ['text', 'tracer not found'],
  ['a list', []],
  ['no frame', {}],
  [
    'another tracer’s answer',
    { type: 'CALL', from: '0x00', to: '0x00', gas: '0x0', gasUsed: '0x0', input: '0x' },
  ],
])('%s is no trace', (_, answer) => {
  expect(() => readTrace(answer as Json)).toThrow(MalformedTrace)
})

test('our own tracer says when it failed: what it saw until then is no trace', () => {
  expect(() => read({ ...wireFrame(), failure: 'TypeError: x' })).toThrow(MalformedTrace)
})

/** Puts something else in one place. */
function mangle(value: Json, dice: Random): void {
  const holder = value as Fields
  const keys = Object.keys(holder)
  const key = keys[dice.int(keys.length)]
  if (key === undefined) return
  const inner = holder[key]
  const others: Json[] = [null, 7, 'x', '0x', '0xg', [], {}, -1, 1e300, true]
  if (typeof inner === 'object' && inner !== null && dice.chance(0.7)) mangle(inner, dice)
  else holder[key] = others[dice.int(others.length)]
}
