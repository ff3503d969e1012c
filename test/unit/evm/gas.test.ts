import { describe, expect, test } from 'bun:test'
import { code, deploying } from '../../support/evmCode.ts'
import { caller, contract, run, type Scene } from '../../support/evmRun.ts'

const cold = 0xc01dn
const slot = 5n

const gasOf = (parts: readonly (string | number | bigint)[], scene: Scene = {}): number =>
  run({ ...scene, code: code(...parts) }).gasUsed

describe('memory', () => {
  test.each([
    ['one word', [0, 'MLOAD'], 2 + 3 + 3],
    ['the word after it', [32, 'MLOAD'], 3 + 3 + 6],
    ['one byte beyond a word', [1, 'MLOAD'], 3 + 3 + 6],
    ['quadratic from 724 bytes on', [1024 * 32 - 32, 'MLOAD'], 3 + 3 + 3 * 1024 + (1024 * 1024) / 512],
    ['once only', [0, 'MLOAD', 0, 'MLOAD'], 2 * (2 + 3) + 3],
    ['none for nothing', [0, 2n ** 255n, 'RETURN'], 2 + 3],
  ] as const)('%s', (_, parts, gas) => {
    expect(gasOf(parts)).toBe(gas)
  })
})

describe('what is paid by size', () => {
  test.each([
    ['EXP by the bytes of the exponent', [0x100, 2, 'EXP'], 3 + 3 + 10 + 2 * 50],
    ['EXP to the power of 0', [0, 2, 'EXP'], 2 + 3 + 10],
    ['KECCAK256 by the word', [33, 0, 'KECCAK256'], 3 + 2 + 30 + 2 * 6 + 2 * 3],
    ['CALLDATACOPY by the word', [33, 0, 0, 'CALLDATACOPY'], 3 + 2 + 2 + 3 + 2 * 3 + 2 * 3],
    ['MCOPY by the word, with memory for source and target', [32, 32, 0, 'MCOPY'], 3 + 3 + 2 + 3 + 3 + 2 * 3],
    ['LOG2 by topics and bytes', [1, 2, 10, 0, 'LOG2'], 3 * 3 + 2 + 375 + 2 * 375 + 10 * 8 + 3],
  ] as const)('%s', (_, parts, gas) => {
    expect(gasOf(parts)).toBe(gas)
  })
})

describe('warm and cold (EIP-2929)', () => {
  test.each([
    ['BALANCE', [cold, 'BALANCE']],
    ['EXTCODESIZE', [cold, 'EXTCODESIZE']],
    ['EXTCODEHASH', [cold, 'EXTCODEHASH']],
  ] as const)('%s', (_, parts) => {
    expect(gasOf(parts)).toBe(3 + 2600)
    expect(gasOf(parts, { warm: [cold] })).toBe(3 + 100)
    expect(gasOf([...parts, ...parts])).toBe(2 * 3 + 2600 + 100)
  })

  test('SLOAD', () => {
    expect(gasOf([slot, 'SLOAD'])).toBe(3 + 2100)
    expect(gasOf([slot, 'SLOAD', slot, 'SLOAD'])).toBe(2 * 3 + 2100 + 100)
  })

  test('precompiles are warm', () => {
    expect(gasOf([4, 'BALANCE'])).toBe(3 + 100)
  })

  test('what a reverted frame has warmed is cold again', () => {
    const warmer = code(cold, 'BALANCE', 0, 0, 'REVERT')
    const calls = [0, 0, 0, 0, 0xaan, 'GAS', 'STATICCALL']
    const scene = { accounts: new Map([[0xaan, { code: warmer }]]), warm: [0xaan] }
    const withBalance = gasOf([...calls, cold, 'BALANCE'], scene)
    expect(withBalance - gasOf(calls, scene)).toBe(3 + 2600)
  })
})

/** EIP-2200's table, at the prices of EIP-2929 and EIP-3529; the first access is cold. */
describe('SSTORE', () => {
  test.each([
    [0n, [0n], 2100 + 100, 0],
    [0n, [1n], 2100 + 20_000, 0],
    [1n, [0n], 2100 + 2900, 4800],
    [1n, [2n], 2100 + 2900, 0],
    [1n, [1n], 2100 + 100, 0],
    [0n, [1n, 0n], 2100 + 20_000 + 100, 19_900],
    [0n, [1n, 2n], 2100 + 20_000 + 100, 0],
    [1n, [0n, 1n], 2100 + 2900 + 100, 2800],
    [1n, [2n, 0n], 2100 + 2900 + 100, 4800],
    [1n, [2n, 1n], 2100 + 2900 + 100, 2800],
    [1n, [0n, 2n], 2100 + 2900 + 100, 0],
    [1n, [0n, 1n, 0n], 2100 + 2900 + 100 + 2900, 2800 + 4800],
  ] as const)('%p, then %p', (original, values, gas, refund) => {
    const parts = values.flatMap((value) => [value, slot, 'SSTORE'] as const)
    const pushes = values.reduce((sum, value) => sum + (value === 0n ? 2 : 3) + 3, 0)
    const { gasUsed, state } = run({ code: code(...parts), storage: new Map([[slot, original]]) })
    expect([gasUsed - pushes, state.refund]).toEqual([gas, refund])
  })

  test('needs more than the stipend', () => {
    const store = code(1, slot, 'SSTORE')
    const withGas = (gas: number) => {
      const state = { storage: new Map([[slot, 1n]]), code: store, message: { gas } }
      return run(state).outcome
    }
    expect(withGas(6 + 2300)).toEqual({ kind: 'halted', reason: 'out-of-gas' })
    expect(withGas(6 + 2301)).toEqual({ kind: 'returned', output: new Uint8Array(), gasLeft: 101 })
  })
})

describe('calls', () => {
  const call = (value: bigint, target = cold) => [0, 0, 0, 0, value, target, 0, 'CALL'] as const
  const pushes = 4 * 2 + 3 + 3 + 2

  test('with value, to an account that is not there', () => {
    expect(gasOf(call(1n), { balance: 1n })).toBe(pushes + 2600 + 9000 + 25_000 - 2300)
  })

  test('with value, to one that is there', () => {
    const accounts = new Map([[cold, { balance: 1n }]])
    expect(gasOf(call(1n), { balance: 1n, accounts })).toBe(pushes + 2600 + 9000 - 2300)
  })

  test('without value', () => {
    expect(gasOf(call(0n))).toBe(pushes - 1 + 2600)
  })

  test('that the balance does not cover give the gas back', () => {
    const accounts = new Map([[cold, { balance: 1n }]])
    expect(gasOf(call(1n), { accounts })).toBe(pushes + 2600 + 9000 - 2300)
  })

  test('leave a 64th to the caller (EIP-150)', () => {
    const accounts = new Map([[0xaan, { code: code('INVALID') }]])
    const parts = [0, 0, 0, 0, 0xaan, 'GAS', 'STATICCALL'] as const
    const before = 100_000 - (4 * 2 + 3 + 2 + 100)
    const { outcome } = run({ code: code(...parts), accounts, warm: [0xaan], message: { gas: 100_000 } })
    expect(outcome).toMatchObject({ gasLeft: Math.floor(before / 64) })
  })

  test('of a precompile cost what it asks for', () => {
    expect(gasOf([0, 0, 33, 0, 4, 10_000, 'STATICCALL'])).toBe(3 * 2 + 3 + 3 + 3 + 100 + 6 + 15 + 2 * 3)
  })
})

describe('creations', () => {
  const runtime = code(1, 2, 'ADD')
  const init = deploying(runtime)
  const storeInit = [BigInt(`0x${init.toHex().padEnd(64, '0')}`), 0, 'MSTORE'] as const
  const stored = 3 + 2 + 3 + 3
  const initGas = 3 + 3 + 2 + 3 + 3 + 3 + 3 + 2 + 200 * runtime.length

  test('CREATE pays for init code by the word (EIP-3860) and for code by the byte', () => {
    expect(gasOf([...storeInit, init.length, 0, 0, 'CREATE'])).toBe(stored + 3 + 2 + 2 + 32_000 + 2 + initGas)
  })

  test('CREATE2 hashes it besides', () => {
    expect(gasOf([...storeInit, 0, init.length, 0, 0, 'CREATE2'])).toBe(
      stored + 2 + 3 + 2 + 2 + 32_000 + 2 + 6 + initGas,
    )
  })

  test('a failed one costs all but a 64th', () => {
    const parts = [0xfen << 248n, 0, 'MSTORE', 1, 0, 0, 'CREATE'] as const
    const before = 1_000_000 - (stored + 3 + 2 + 2 + 32_000 + 2)
    const { outcome } = run({ code: code(...parts), message: { gas: 1_000_000 } })
    expect(outcome).toMatchObject({ gasLeft: Math.floor(before / 64) })
  })
})

describe('SELFDESTRUCT', () => {
  test.each([
    ['to one that is there, cold', 1n, [[cold, { balance: 1n }]], [], 5000 + 2600],
    ['to one that is there, warm', 1n, [[cold, { balance: 1n }]], [cold], 5000],
    ['to one that is not there', 1n, [], [], 5000 + 2600 + 25_000],
    ['to one that is not there, of nothing', 0n, [], [], 5000 + 2600],
  ] as const)('%s', (_, balance, accounts, warm, gas) => {
    expect(gasOf([cold, 'SELFDESTRUCT'], { balance, accounts: new Map(accounts), warm })).toBe(3 + gas)
  })
})

test('exactly enough gas is enough, one less is not', () => {
  const store = code(1, slot, 'SSTORE')
  const withGas = (gas: number) => run({ code: store, message: { gas } }).outcome.kind
  expect([withGas(6 + 22_100), withGas(6 + 22_099)]).toEqual(['returned', 'halted'])
})

test('who sends and who is called are not warm by themselves: that is the transaction’s', () => {
  expect(gasOf([caller, 'BALANCE', contract, 'BALANCE'])).toBe(2 * 3 + 2 * 2600)
})
