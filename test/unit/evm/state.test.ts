import { describe, expect, test } from 'bun:test'
import { createState } from '../../../src/evm/state/state.ts'
import { MissingState, type StateSource } from '../../../src/evm/state-source.ts'
import { emptyCodeHash } from '../../../src/evm/word.ts'
import { code, returnTop } from '../../support/evmCode.ts'
import { chainOf, contract, run } from '../../support/evmRun.ts'
import { stateOf } from '../../support/evmState.ts'

const { keccak } = chainOf('prague')
const someCode = code('STOP')
const known = 0xaan
const unknown = 0xbbn
const source = stateOf(
  new Map([[known, { nonce: 3n, balance: 100n, code: someCode, storage: new Map([[1n, 11n]]) }]]),
  keccak,
)

const picture = (state: ReturnType<typeof createState>) => ({
  known: [state.nonce(known), state.balance(known), state.codeHash(known), state.code(known)],
  unknown: [state.nonce(unknown), state.balance(unknown), state.isEmpty(unknown), state.isCreated(unknown)],
  slot: { ...state.slot(known, 1n) },
  transient: state.transient(known, 1n),
  logs: [...state.logs],
  refund: state.refund,
})

describe('the journal', () => {
  test('takes back everything since a snapshot', () => {
    const state = createState(source)
    state.warmAddress(known)
    state.addRefund(5)
    const before = picture(state)
    const snapshot = state.snapshot()
    state.setNonce(known, 4n)
    state.transfer(known, unknown, 40n)
    state.setCode(known, code('INVALID'), 1n)
    state.warmSlot(state.slot(known, 1n))
    state.store(state.slot(known, 1n), 12n)
    state.setTransient(known, 1n, 13n)
    state.log({ address: known, topics: [], data: new Uint8Array() })
    state.addRefund(-2)
    state.createAccount(unknown)
    state.destroy(known)
    expect(state.warmAddress(unknown)).toBe(true)
    state.revert(snapshot)
    expect(picture(state)).toEqual(before)
    expect([state.warmAddress(known), state.warmAddress(unknown)]).toEqual([false, true])
    state.endTransaction()
    expect(state.isEmpty(known)).toBe(false)
  })

  test('keeps what was before an inner snapshot', () => {
    const state = createState(source)
    const slot = state.slot(known, 1n)
    state.store(slot, 12n)
    const inner = state.snapshot()
    state.store(slot, 13n)
    state.revert(inner)
    expect(slot.value).toBe(12n)
  })
})

describe('a transaction', () => {
  test('ends warmth, refund, logs, transient storage and original values', () => {
    const state = createState(source)
    state.warmAddress(known)
    state.store(state.slot(known, 1n), 12n)
    state.setTransient(known, 1n, 13n)
    state.addRefund(5)
    state.log({ address: known, topics: [], data: new Uint8Array() })
    state.beginTransaction()
    expect(picture(state)).toMatchObject({
      slot: { value: 12n, original: 12n, isWarm: false },
      transient: 0n,
      logs: [],
      refund: 0,
    })
    expect(state.warmAddress(known)).toBe(true)
  })

  test('deletes what is destroyed: a contract made there again has no storage', () => {
    const state = createState(source)
    state.destroy(known)
    state.endTransaction()
    expect([state.isTaken(known), state.slot(known, 1n).value]).toEqual([false, 0n])
    expect(state.isEmpty(known)).toBe(true)
  })
})

describe('what changed', () => {
  test('is told with the slots that were met', () => {
    const state = createState(source)
    state.transfer(known, unknown, 40n)
    state.store(state.slot(known, 1n), 0n)
    expect([...state.changes()]).toMatchObject([
      { address: unknown, account: { nonce: 0n, balance: 40n, codeHash: emptyCodeHash } },
      { address: known, account: { nonce: 3n, balance: 60n }, slots: new Map([[1n, { value: 0n }]]) },
    ])
  })

  test('has touched empty accounts as deleted (EIP-161)', () => {
    const state = createState(source)
    state.transfer(known, unknown, 0n)
    expect([...state.changes()]).toMatchObject([{ address: unknown, account: undefined }])
  })
})

describe('state that is not at hand', () => {
  const missing: StateSource = {
    ...source,
    storage: (address, slot) => {
      throw new MissingState({ kind: 'storage', address, slot })
    },
  }

  test('ends the run, which has changed nothing', () => {
    const state = createState({
      ...stateOf(new Map([[contract, { code: code(1, 0, 'TSTORE', 5, 'SLOAD') }]]), keccak),
      storage: missing.storage,
    })
    const key = { kind: 'storage', address: contract, slot: 5n } as const
    expect(() => run({}, state)).toThrow(new MissingState(key))
    expect(state.transient(contract, 0n)).toBe(0n)
  })

  test('is asked for once it is needed only', () => {
    const state = createState({
      ...missing,
      account: (address) => {
        throw new MissingState({ kind: 'account', address })
      },
    })
    state.warmAddress(known)
    state.setTransient(known, 1n, 2n)
    expect(() => state.balance(known)).toThrow(MissingState)
  })
})

test('a state is kept between messages', () => {
  const counter = code(1, 'SLOAD', 1, 'ADD', 'DUP1', 1, 'SSTORE', ...returnTop)
  const state = createState(stateOf(new Map([[contract, { code: counter }]]), keccak))
  const outputs = [1, 2, 3].map(() => run({}, state).outcome)
  expect(outputs.map((outcome) => outcome.kind === 'returned' && outcome.output[31])).toEqual([1, 2, 3])
})
