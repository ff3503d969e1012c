import { describe, expect, test } from 'bun:test'
import { create2Address, createAddress } from '../../../src/evm/create-address.ts'
import { emptyCodeHash } from '../../../src/evm/word.ts'
import { code, deploying, returnTop, storing } from '../../support/evmCode.ts'
import { caller, chainOf, contract, returned, run, type Scene } from '../../support/evmRun.ts'
import type { SomeAccount } from '../../support/evmState.ts'

const other = 0xaan
const { keccak } = chainOf('prague')

/** Calls `other`, which returns a word, and returns that. */
const calling = (opcode: string, ...value: readonly number[]) =>
  code(32, 0, 0, 0, ...value, other, 'GAS', opcode, 0, 'MLOAD', ...returnTop)

const inOther = (...parts: readonly (string | number | bigint)[]) =>
  new Map([[other, { code: code(...parts), balance: 70n, storage: new Map([[1n, 11n]]) }]])

describe('who the called code is', () => {
  test.each([
    ['CALL', [3], other, contract, 3n, 11n],
    ['CALLCODE', [3], contract, contract, 3n, 22n],
    ['DELEGATECALL', [], contract, caller, 5n, 22n],
    ['STATICCALL', [], other, contract, 0n, 11n],
  ] as const)('%s', (opcode, value, address, sender, callValue, stored) => {
    const told = (...parts: readonly (string | number)[]) =>
      returned({
        code: calling(opcode, ...value),
        accounts: inOther(...parts, ...returnTop),
        storage: new Map([[1n, 22n]]),
        message: { value: 5n },
      })
    expect([told('ADDRESS'), told('CALLER'), told('CALLVALUE'), told(1, 'SLOAD')]).toEqual([
      ...[address, sender, callValue, stored],
    ])
  })
})

describe('a static call forbids', () => {
  test.each([
    ['SSTORE', [0, 0, 'SSTORE']],
    ['TSTORE', [0, 0, 'TSTORE']],
    ['LOG0', [0, 0, 'LOG0']],
    ['CREATE', [0, 0, 0, 'CREATE']],
    ['CREATE2', [0, 0, 0, 0, 'CREATE2']],
    ['SELFDESTRUCT', [0, 'SELFDESTRUCT']],
    ['CALL with value', [0, 0, 0, 0, 1, 0, 0, 'CALL']],
    ['in a call below it', [0, 0, 0, 0, 0, 0xbb, 'GAS', 'CALL', 'ISZERO', 0xff, 'JUMPI']],
  ] as const)('%s', (_, parts) => {
    const accounts = new Map<bigint, SomeAccount>([
      ...inOther(...parts),
      [0xbbn, { code: code(0, 0, 'LOG0') }],
    ])
    const scene = { code: code(0, 0, 0, 0, other, 50_000, 'STATICCALL', ...returnTop), accounts }
    expect(returned(scene)).toBe(0n)
  })

  test('not CALL without value', () => {
    const accounts = inOther(0, 0, 0, 0, 0, 0xbb, 0, 'CALL')
    expect(returned({ code: code(0, 0, 0, 0, other, 50_000, 'STATICCALL', ...returnTop), accounts })).toBe(1n)
  })
})

describe('what a call returns', () => {
  const returnTwoWords = [1, 0, 'MSTORE', 2, 32, 'MSTORE', 64, 0, 'RETURN'] as const

  test('goes to memory as far as it fits, and is whole as return data', () => {
    const program = code(
      32,
      0,
      0,
      0,
      other,
      'GAS',
      'STATICCALL',
      'RETURNDATASIZE',
      ...[32, 'MSTORE', 64, 0, 'RETURN'],
    )
    const { outcome } = run({ code: program, accounts: inOther(...returnTwoWords) })
    expect(outcome).toMatchObject({
      output: Uint8Array.from([...Array(31).fill(0), 1, ...Array(31).fill(0), 64]),
    })
  })

  test('leaves memory that it does not fill as it was', () => {
    const program = code(7, 0, 'MSTORE', 32, 0, 0, 0, other, 'GAS', 'STATICCALL', 0, 'MLOAD', ...returnTop)
    expect(returned({ code: program, accounts: inOther('STOP') })).toBe(7n)
  })

  test('may not be read beyond its end, not even nothing of it', () => {
    const read = (start: number, size: number) =>
      run({
        code: code(0, 0, 0, 0, other, 'GAS', 'STATICCALL', size, start, 0, 'RETURNDATACOPY'),
        accounts: inOther(...returnTwoWords),
      }).outcome
    expect(read(0, 64)).toMatchObject({ kind: 'returned' })
    expect(read(64, 0)).toMatchObject({ kind: 'returned' })
    expect(read(65, 0)).toEqual({ kind: 'halted', reason: 'return-data-out-of-bounds' })
  })

  test('of a precompile is its own: the caller may write over its input', () => {
    const program = code(
      ...[9, 0, 'MSTORE', 0, 0, 32, 0, 4, 'GAS', 'STATICCALL'],
      ...[8, 0, 'MSTORE', 32, 0, 64, 'RETURNDATACOPY', 64, 'MLOAD', ...returnTop],
    )
    expect(returned({ code: program })).toBe(9n)
  })
})

describe('a frame that reverts', () => {
  const scene: Scene = {
    code: code(1, 1, 'SSTORE', 0, 0, 0, 0, 4, other, 'GAS', 'CALL', ...returnTop),
    accounts: inOther(2, 1, 'SSTORE', 5, 1, 'TSTORE', 0, 0, 'LOG0', 1, 0, 'MSTORE', 32, 0, 'REVERT'),
    balance: 4n,
  }

  test('takes back what it did and no more', () => {
    const { state } = run(scene)
    expect(state.slot(contract, 1n).value).toBe(1n)
    expect(state.slot(other, 1n).value).toBe(11n)
    expect([state.balance(contract), state.balance(other)]).toEqual([4n, 70n])
    expect([state.transient(other, 1n), state.logs, state.refund]).toEqual([0n, [], 0])
  })

  test('returns its data, and zero on the stack', () => {
    expect(returned(scene)).toBe(0n)
    expect(returned({ ...scene, code: calling('CALL', 0) })).toBe(1n)
  })
})

describe('creations', () => {
  const runtime = code(7, ...returnTop)
  const init = deploying(runtime)
  const created = createAddress(keccak, contract, 1n)
  const creating = (...tail: readonly (string | number)[]) =>
    Uint8Array.from([...storing(init), ...code(init.length, 0, 3, 'CREATE', ...tail)])

  test('put code at an address made of creator and nonce', () => {
    const { state, outcome } = run({ code: creating(...returnTop), balance: 3n })
    expect(outcome).toMatchObject({ output: Uint8Array.fromHex(created.toString(16).padStart(64, '0')) })
    expect([state.code(created), state.codeHash(created)]).toEqual([runtime, keccak(runtime)])
    expect([state.nonce(created), state.balance(created), state.nonce(contract)]).toEqual([1n, 3n, 2n])
  })

  test('by CREATE2 at one made of creator, salt and init code', () => {
    const program = Uint8Array.from([
      ...storing(init),
      ...code(42, init.length, 0, 0, 'CREATE2', ...returnTop),
    ])
    expect(returned({ code: program })).toBe(create2Address(keccak, contract, 42n, init))
  })

  test('fail where code is already, and use up the nonce', () => {
    const accounts = new Map([[created, { code: code('STOP') }]])
    const { state, outcome } = run({ code: creating(...returnTop), balance: 3n, accounts })
    expect(outcome).toMatchObject({ output: new Uint8Array(32) })
    expect([state.nonce(contract), state.balance(contract)]).toEqual([2n, 3n])
  })

  test('without the value use up nothing', () => {
    const { state } = run({ code: creating(...returnTop), balance: 2n })
    expect(state.nonce(contract)).toBe(1n)
  })

  test.each([
    ['that begins with EF', 'invalid-code', code(0xef, 0, 'MSTORE8', 1, 0, 'RETURN')],
    ['of more than 24,576 bytes', 'code-too-large', code(24_577, 0, 'RETURN')],
    ['that the gas does not pay for', 'out-of-gas', code(24_576, 0, 'RETURN')],
  ] as const)('refuse code %s', (_, reason, initCode) => {
    const outcomes: unknown[] = []
    const program = Uint8Array.from([...storing(initCode), ...code(initCode.length, 0, 0, 'CREATE')])
    run({
      code: program,
      message: { gas: 1_000_000 },
      observer: { leave: (frame, outcome) => void (frame.depth === 1 && outcomes.push(outcome)) },
    })
    expect(outcomes).toEqual([{ kind: 'halted', reason }])
  })

  test('refuse init code of more than 49,152 bytes', () => {
    const { outcome } = run({ code: code(49_153, 0, 0, 'CREATE') })
    expect(outcome).toEqual({ kind: 'halted', reason: 'code-too-large' })
  })

  test('are addressed as everywhere: the first contract of an account known to all', () => {
    const deployer = 0x6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0n
    expect([0n, 1n, 2n, 3n].map((nonce) => createAddress(keccak, deployer, nonce))).toEqual([
      0xcd234a471b72ba2f1ccf0a70fcaba648a5eecd8dn,
      0x343c43a37d37dff08ae8c4a11544c718abb4fcf8n,
      0xf778b86fa74e846c4f0a1fbd1335fe81c00a0c91n,
      0xfffd933a0bc612844eaf0c6fe3e5b8e9b6c1d19cn,
    ])
  })

  test('with CREATE2 as in EIP-1014', () => {
    const address = create2Address(keccak, 0xdeadbeefn, 0xcafebaben, Uint8Array.fromHex('deadbeef'))
    expect(address).toBe(0x60f3f640a8508fc6a86d45df051962668e1e8ac7n)
  })
})

describe('SELFDESTRUCT (EIP-6780)', () => {
  const destroying = code(other, 'SELFDESTRUCT')

  test('of an account that was there sends the balance and leaves the rest', () => {
    const { state } = run({ code: destroying, balance: 5n })
    state.endTransaction()
    expect([state.balance(contract), state.balance(other), state.code(contract)]).toEqual([
      0n,
      5n,
      destroying,
    ])
  })

  test('to itself does nothing there', () => {
    const { state } = run({ code: code('ADDRESS', 'SELFDESTRUCT'), balance: 5n })
    state.endTransaction()
    expect(state.balance(contract)).toBe(5n)
  })

  test('deletes it at the end, before Cancun', () => {
    const { state } = run({ code: destroying, balance: 5n, hardfork: 'shanghai' })
    expect(state.code(contract)).toEqual(destroying)
    state.endTransaction()
    expect([state.isEmpty(contract), state.codeHash(contract)]).toEqual([true, emptyCodeHash])
  })

  test('deletes what came in the same transaction', () => {
    const program = Uint8Array.from([
      ...storing(destroying),
      ...code(destroying.length, 0, 3, 'CREATE', ...returnTop),
    ])
    const { state } = run({ code: program, balance: 3n })
    const created = createAddress(keccak, contract, 1n)
    expect(state.nonce(created)).toBe(1n)
    state.endTransaction()
    expect([state.isEmpty(created), state.balance(other)]).toEqual([true, 3n])
  })
})
