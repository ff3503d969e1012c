import { describe, expect, test } from 'bun:test'
import { type Address, type Hex, keccak256 } from 'viem'
import type { Json } from '../../../../src/base/errors.ts'
import type { Word } from '../../../../src/evm/word.ts'
import { entryPointVersions } from '../../../../src/types/entrypoint-version.ts'
import type { Parties, PhaseFacts } from '../../../../src/validation/rules/facts.ts'
import { opcodes } from '../../../../src/validation/rules/opcodes.ts'
import { operationsOfTrace } from '../../../../src/validation/traced/operations-of-trace.ts'
import { readTrace } from '../../../../src/validation/traced/read-trace.ts'
import type { Trace, TraceFrame } from '../../../../src/validation/traced/trace.ts'
import { frame, traceOf } from '../../../support/traces/frames.ts'

const entryPoint = 0xe0n
const account = 0xa0n
const factory = 0xf0n
const paymaster = 0xb0n
const helper = 0xc0n
const parties: Parties = { entryPoint, account, factory, paymaster }
const keccak = (bytes: Uint8Array): Word => BigInt(keccak256(bytes))

const factsOf = (trace: Trace, operations: readonly Parties[] = [parties]) =>
  operationsOfTrace({ version: '0.7', operations }, trace, { keccak })

/** createSender(bytes), validateUserOp, validatePaymasterUserOp of 0.7 */
const selectors = {
  createSender: '0x570e1a36',
  validateUserOp: '0x19822f7c',
  paymaster: '0x52b7512c',
} as const

const validation = (changes: Partial<TraceFrame> = {}, to = account): TraceFrame =>
  frame({ from: entryPoint, to, input: selectors.validateUserOp, ...changes })
const sponsoring = (changes: Partial<TraceFrame> = {}): TraceFrame =>
  frame({ from: entryPoint, to: paymaster, input: selectors.paymaster, ...changes })
const deployment = (...calls: TraceFrame[]): TraceFrame =>
  frame({ from: entryPoint, to: 0x5cn, input: selectors.createSender, calls })

/** The only phase of an account that does this in its validation. */
function phaseOf(changes: Partial<TraceFrame>): PhaseFacts {
  const [operation] = factsOf(traceOf(validation(changes)))
  const [phase] = operation?.phases ?? []
  if (phase === undefined) throw new Error('there is no phase')
  return phase
}

const clean: PhaseFacts = {
  entity: 'account',
  address: account,
  opcodes: [],
  unassigned: [],
  exhausted: [],
  creations: [],
  uses: [],
  entryPointUses: [],
  valueCalls: [],
  storage: [],
  gasUsed: 0,
}

test('an account that does nothing', () => {
  expect(factsOf(traceOf(validation({ gasUsed: 700 })))).toEqual([
    { parties, phases: [{ ...clean, gasUsed: 700 }], hashed: [], contextSize: 0 },
  ])
})

test('the phases are those of the factory behind the sender creator, the account and the paymaster', () => {
  const trace = traceOf(deployment(frame({ from: 0x5cn, to: factory })), validation(), sponsoring())
  const [operation] = factsOf(trace)
  expect(operation?.phases.map(({ entity, address }) => [entity, address])).toEqual([
    ['factory', factory],
    ['account', account],
    ['paymaster', paymaster],
  ])
})

test('other calls of the EntryPoint are its own business', () => {
  expect(factsOf(traceOf(frame({ from: entryPoint, to: account, input: '0x12345678' })))).toEqual([])
})

test('the operations of a bundle are told apart by their validations', () => {
  const another = { ...parties, account: 0xa1n }
  const trace = traceOf(
    ...[validation(), sponsoring(), validation({ reads: [7n] }, 0xa1n), sponsoring({ reads: [8n] })],
  )
  const [first, second] = factsOf(trace, [parties, another])
  expect(first?.phases.flatMap(({ storage }) => storage)).toEqual([])
  expect(second?.phases.flatMap(({ storage }) => storage)).toMatchObject([
    { contract: 0xa1n, slot: 7n },
    { contract: paymaster, slot: 8n },
  ])
})

test('opcodes that rules name, by the address that they ran as', () => {
  const library = frame({ type: 'DELEGATECALL', from: account, to: helper, opcodes: new Map([[0x42, 2]]) })
  const other = frame({ from: account, to: helper, opcodes: new Map([[opcodes.GAS, 1]]) })
  const phase = phaseOf({ opcodes: new Map([[0x01, 9]]), calls: [library, other] })
  expect(phase.opcodes).toEqual([
    { opcode: 0x42, by: account },
    { opcode: opcodes.GAS, by: helper },
  ])
})

test('storage, persistent and transient, of the contract whose it is', () => {
  const slots = { reads: [1n], writes: [1n, 2n], transientReads: [3n], transientWrites: [4n] }
  const phase = phaseOf({ calls: [frame({ type: 'DELEGATECALL', from: account, to: helper, ...slots })] })
  const touched = { contract: account, isRead: false, isWritten: false, isTransient: false }
  expect(phase.storage).toEqual([
    { ...touched, slot: 1n, isRead: true, isWritten: true },
    { ...touched, slot: 2n, isWritten: true },
    { ...touched, slot: 3n, isRead: true, isTransient: true },
    { ...touched, slot: 4n, isWritten: true, isTransient: true },
  ])
})

test('contracts that are looked at or called, with code or without', () => {
  const contracts = [
    { address: helper, codeSize: 9, opcode: opcodes.STATICCALL },
    { address: 0xd0n, codeSize: 0, opcode: opcodes.EXTCODEHASH },
  ]
  expect(phaseOf({ contracts }).uses).toEqual([
    { opcode: opcodes.STATICCALL, by: account, address: helper, hasCode: true },
    { opcode: opcodes.EXTCODEHASH, by: account, address: 0xd0n, hasCode: false },
  ])
})

test('a precompile that is looked at after it was called', () => {
  const contracts = [{ address: 4n, codeSize: 0, opcode: opcodes.STATICCALL }]
  expect(phaseOf({ contracts, looksAtCode: [4n] }).uses).toEqual([
    { opcode: opcodes.STATICCALL, by: account, address: 4n, hasCode: false },
    { opcode: opcodes.EXTCODESIZE, by: account, address: 4n, hasCode: false },
  ])
})

test('what a frame looked at last is told of its caller, too, which is no use by that', () => {
  expect(phaseOf({ contracts: [], looksAtCode: [helper] }).uses).toEqual([])
})

test('the EntryPoint runs out of the gas that it is called with', () => {
  const deposit = frame({ from: account, to: entryPoint, error: 'out of gas', outOfGas: true })
  expect(phaseOf({ calls: [deposit] }).exhausted).toEqual([entryPoint])
})

test('calls to the EntryPoint, whose own doing is left out', () => {
  const deposit = frame({
    ...{ from: account, to: entryPoint, value: 5n, writes: [1n] },
    input: `0xb760faf9${account.toString(16).padStart(64, '0')}`,
  })
  const phase = phaseOf({ calls: [deposit] })
  expect(phase).toEqual({
    ...clean,
    entryPointUses: [
      ...[{ opcode: opcodes.CALL, by: account, isZeroCheck: false }].map((use) => ({
        ...use,
        ...{ inputSize: 36, selector: 0xb760faf9, argument: account },
      })),
    ],
  })
})

describe('code of the EntryPoint', () => {
  const lookedAt = (opcode: number) => [{ address: entryPoint, codeSize: 9, opcode }]

  test('that is only compared with zero', () => {
    const { entryPointUses } = phaseOf({ contracts: lookedAt(opcodes.EXTCODESIZE) })
    expect(entryPointUses).toMatchObject([{ opcode: opcodes.EXTCODESIZE, isZeroCheck: true }])
  })

  test('that is kept', () => {
    const looks = { contracts: lookedAt(opcodes.EXTCODEHASH), looksAtCode: [entryPoint] }
    expect(phaseOf(looks).entryPointUses).toMatchObject([{ opcode: opcodes.EXTCODEHASH, isZeroCheck: false }])
  })
})

test('value that is sent to others, by CALL and CALLCODE', () => {
  const calls = [
    frame({ from: account, to: helper, value: 1n }),
    frame({ type: 'CALLCODE', from: account, to: helper, value: 1n }),
    frame({ type: 'DELEGATECALL', from: account, to: helper, value: 1n }),
    frame({ from: account, to: helper }),
  ]
  expect(phaseOf({ calls }).valueCalls).toEqual([
    { opcode: opcodes.CALL, by: account, to: helper },
    { opcode: opcodes.CALLCODE, by: account, to: helper },
  ])
})

describe('creations', () => {
  test('with what they made, or would have made', () => {
    const calls = [
      frame({ type: 'CREATE', from: account, to: 0x11n }),
      frame({ type: 'CREATE2', from: account, to: undefined, error: 'execution reverted' }),
    ]
    expect(phaseOf({ calls }).creations).toEqual([
      { opcode: opcodes.CREATE, by: account, created: 0x11n },
      { opcode: opcodes.CREATE2, by: account, created: undefined },
    ])
  })

  test('that failed in what they called', () => {
    const inner = frame({ from: 0x12n, to: helper })
    const failed = frame({
      type: 'CREATE2',
      to: undefined,
      error: 'out of gas',
      writes: [1n],
      calls: [inner],
    })
    const phase = phaseOf({ calls: [failed] })
    expect(phase.creations).toMatchObject([{ created: 0x12n }])
    expect(phase.storage).toMatchObject([{ contract: 0x12n, slot: 1n }])
  })

  test('that did not come so far', () => {
    expect(phaseOf({ opcodes: new Map([[opcodes.CREATE2, 1]]) }).creations).toEqual([
      { opcode: opcodes.CREATE2, by: account, created: undefined },
    ])
  })
})

test.each([
  ['out of gas', { outOfGas: true, error: 'out of gas' }],
  ['an operand that no gas could pay', { error: 'gas uint64 overflow' }],
])('a frame that ended by %s', (_, end) => {
  expect(phaseOf({ calls: [frame({ from: account, to: helper, ...end })] }).exhausted).toEqual([helper])
})

test.each(['max call depth exceeded', 'CallTooDeep'])('a call that found no room: %s', (error) => {
  expect(phaseOf({ calls: [frame({ from: helper, to: account, error })] }).exhausted).toEqual([helper])
})

describe('an invalid opcode', () => {
  const ended = (opcode: number, error: string) =>
    phaseOf({ error, opcodes: new Map([[opcode, 1]]) }).unassigned.map((use) => use.opcode)

  test.each(['invalid opcode: opcode 0xc not defined', 'invalid opcode'])(
    'that nobody assigns: %s',
    (error) => {
      expect(ended(0x0c, error)).toEqual([0x0c])
    },
  )

  test.each(['invalid opcode: CLZ', 'NotActivated'])('of a later hardfork: %s', (error) => {
    expect(ended(0x1e, error)).toEqual([0x1e])
  })

  test('that is assigned to be invalid', () => {
    expect(ended(opcodes.INVALID, 'invalid opcode: INVALID')).toEqual([])
  })
})

test('what is hashed of a party and one word makes slots its own', () => {
  const word = (value: bigint) => value.toString(16).padStart(64, '0')
  const ofAccount: Hex = `0x${word(account)}${word(1n)}`
  const preimages: Hex[] = [ofAccount, `0x${word(helper)}${word(1n)}`, `0x${word(account)}`, `${ofAccount}00`]
  const [operation] = factsOf({ ...traceOf(validation()), preimages })
  expect(operation?.hashed).toEqual([{ owner: account, hash: BigInt(keccak256(ofAccount)) }])
})

test('the size of the context that a paymaster returned', () => {
  const word = (value: bigint) => value.toString(16).padStart(64, '0')
  const output: Hex = `0x${word(0x40n)}${word(0n)}${word(3n)}${'ab'.repeat(3).padEnd(64, '0')}`
  const [operation] = factsOf(traceOf(validation(), sponsoring({ output })))
  expect(operation?.contextSize).toBe(3)
})

test('a contract that destroys itself runs nowhere else', () => {
  const gone = frame({ type: 'SELFDESTRUCT', from: account, to: helper, value: 5n })
  expect(phaseOf({ opcodes: new Map([[opcodes.SELFDESTRUCT, 1]]), calls: [gone] })).toEqual({
    ...clean,
    opcodes: [{ opcode: opcodes.SELFDESTRUCT, by: account }],
  })
})

describe.each([...entryPointVersions])(
  'the first operation of a SimpleAccount of %s, as geth traced it',
  (version) => {
    test('deploys by the factory and pays by the account', async () => {
      const file = Bun.file(`${import.meta.dir}/../../../support/traces/simple-account-${version}.json`)
      const recorded = (await file.json()) as { parties: Record<string, Address>; trace: Json }
      const [sender, deployer] = [
        BigInt(recorded.parties.account ?? 0),
        BigInt(recorded.parties.factory ?? 0),
      ]
      const operation: Parties = {
        ...{ entryPoint: BigInt(recorded.parties.entryPoint ?? 0), account: sender },
        ...{ factory: deployer, paymaster: undefined },
      }
      const call = { version, operations: [operation] }
      const [facts] = operationsOfTrace(call, readTrace(recorded.trace), { keccak })
      const [made, validated] = facts?.phases ?? []

      expect(facts?.phases.length).toBe(2)
      expect(made).toMatchObject({
        ...{ entity: 'factory', address: deployer, opcodes: [], exhausted: [], valueCalls: [] },
        creations: [{ opcode: opcodes.CREATE2, by: deployer, created: sender }],
      })
      expect(validated).toMatchObject({
        ...{ entity: 'account', address: sender, opcodes: [], exhausted: [], valueCalls: [], creations: [] },
        entryPointUses: [{ opcode: opcodes.CALL, by: sender, inputSize: 0 }],
      })
      const contracts = facts?.phases.flatMap(({ storage }) => storage.map(({ contract }) => contract))
      expect(new Set(contracts)).toEqual(new Set([sender]))
    })
  },
)
