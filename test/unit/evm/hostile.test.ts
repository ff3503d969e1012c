import { describe, expect, test } from 'bun:test'
import type { Observer } from '../../../src/evm/observer.ts'
import { StepsExceeded, Unsupported } from '../../../src/evm/outcome.ts'
import { code, returnTop, storing } from '../../support/evmCode.ts'
import { contract, run, stateOfScene } from '../../support/evmRun.ts'

const outOfGas = { kind: 'halted', reason: 'out-of-gas' } as const
const other = 0xaan

describe('an infinite loop', () => {
  const loop = code('JUMPDEST', 0, 'JUMP')

  test('ends with its gas', () => {
    expect(run({ code: loop, message: { gas: 100_000 } }).outcome).toEqual(outOfGas)
  })

  test('ends with its steps, and has no result', () => {
    const program = code(1, 1, 'TSTORE', 'JUMPDEST', 5, 'JUMP')
    const scene = { code: program, stepLimit: 1000, message: { gas: Number.MAX_SAFE_INTEGER } }
    const state = stateOfScene(scene)
    expect(() => run(scene, state)).toThrow(StepsExceeded)
    expect(state.transient(contract, 1n)).toBe(0n)
  })

  test('may take exactly its steps', () => {
    const stopped = (stepLimit: number) => run({ code: code(1, 2, 'ADD', 'STOP'), stepLimit })
    expect(stopped(4).outcome).toMatchObject({ kind: 'returned' })
    expect(() => stopped(3)).toThrow(StepsExceeded)
  })

  test('over many frames is counted together', () => {
    const accounts = new Map([[other, { code: code(...Array<number>(100).fill(1)) }]])
    const twice = [0, 0, 0, 0, other, 'GAS', 'STATICCALL', 0, 0, 0, 0, other, 'GAS', 'STATICCALL'] as const
    expect(() => run({ code: code(...twice), accounts, stepLimit: 200 })).toThrow(StepsExceeded)
  })
})

describe('a memory bomb', () => {
  test.each([
    ['MLOAD', [2n ** 256n - 1n, 'MLOAD']],
    ['MSTORE8', [1, 2n ** 64n, 'MSTORE8']],
    ['RETURN', [2n ** 255n, 2n ** 255n, 'RETURN']],
    ['CALLDATACOPY', [2n ** 200n, 0, 0, 'CALLDATACOPY']],
    ['KECCAK256', [2n ** 53n + 1n, 0, 'KECCAK256']],
    ['LOG0', [2n ** 40n, 0, 'LOG0']],
    ['the output of a call', [2n ** 40n, 0, 0, 0, 4, 0, 'STATICCALL']],
    ['the input of a call', [0, 0, 2n ** 40n, 0, 4, 0, 'STATICCALL']],
  ] as const)('by %s is out of gas before it is made', (_, parts) => {
    expect(run({ code: code(...parts) }).outcome).toEqual(outOfGas)
  })

  test('with gas that no block has meets the cap', () => {
    const scene = { code: code(2n ** 27n, 'MLOAD'), message: { gas: Number.MAX_SAFE_INTEGER } }
    expect(() => run(scene)).toThrow(Unsupported)
  })
})

describe('deep calls', () => {
  /** Calls itself for ever; what it returns is how deep it was told it is. */
  const recursive = code(0, 0, 0, 0, 'ADDRESS', 'GAS', 'STATICCALL')

  test('end at 1,024, without the stack of the host', () => {
    const ends: string[] = []
    let deepest = 0
    const observer: Observer = {
      leave({ depth }, outcome) {
        deepest = Math.max(deepest, depth)
        if (depth >= 1024) ends.push(`${depth} ${outcome.kind}`)
      },
    }
    // With all but a 64th handed on, it takes this much to come so deep.
    const { outcome } = run({ code: recursive, observer, message: { gas: 1e12 } })
    expect(outcome).toMatchObject({ kind: 'returned' })
    expect([deepest, ends]).toEqual([1025, ['1025 refused', '1024 returned']])
  })

  test('that create end there too', () => {
    const init = code('CODESIZE', 0, 0, 'CODECOPY', 'CODESIZE', 0, 0, 'CREATE')
    const program = Uint8Array.from([...storing(init), ...code(init.length, 0, 0, 'CREATE')])
    let deepest = 0
    const observer: Observer = {
      enter: ({ depth }) => {
        deepest = Math.max(deepest, depth)
      },
    }
    run({ code: program, observer, message: { gas: 1e14 } })
    expect(deepest).toBe(1025)
  })
})

test('huge return data costs who makes it and who copies it', () => {
  const size = 1024 * 1024
  const accounts = new Map([[other, { code: code(size, 0, 'RETURN') }]])
  const program = code(0, 0, 0, 0, other, 'GAS', 'STATICCALL', 'RETURNDATASIZE', 0, 0, 'RETURNDATACOPY')
  expect(run({ code: program, accounts, message: { gas: 2_400_000 } }).outcome).toEqual(outOfGas)
  const { outcome, gasUsed } = run({ code: program, accounts })
  const memory = 3 * (size / 32) + (size / 32) ** 2 / 512
  const copying = 3 * (size / 32)
  expect(outcome).toMatchObject({ kind: 'returned' })
  expect(gasUsed).toBe(4 * 2 + 3 + 2 + 2600 + (3 + 2 + memory) + (2 + 2 + 2 + 3 + copying + memory))
})

describe('giant init code', () => {
  test('is refused before it is read', () => {
    const { outcome } = run({ code: code(2n ** 30n, 0, 0, 'CREATE') })
    expect(outcome).toEqual({ kind: 'halted', reason: 'code-too-large' })
  })

  test('of the largest size runs to its end', () => {
    const init = new Uint8Array(49_152).fill(0x5b)
    const accounts = new Map([[other, { code: init }]])
    const program = code(init.length, 0, 0, other, 'EXTCODECOPY', init.length, 0, 0, 'CREATE', ...returnTop)
    const { outcome, gasUsed } = run({ code: program, accounts })
    expect(outcome).toMatchObject({ kind: 'returned' })
    expect(gasUsed).toBeGreaterThan(32_000 + init.length)
  })
})

test('code that destroys itself again and again leaves no more than one destruction', () => {
  const accounts = new Map([[other, { code: code('ADDRESS', 'SELFDESTRUCT'), balance: 1n }]])
  const calls = Array.from({ length: 50 }, () => [0, 0, 0, 0, 0, other, 'GAS', 'CALL', 'POP'] as const).flat()
  const { outcome, state } = run({ code: code(...calls), accounts, hardfork: 'shanghai' })
  state.endTransaction()
  expect([outcome.kind, state.isEmpty(other)]).toEqual(['returned', true])
})

describe('what is cheap by its gas and dear by its time', () => {
  /** Steps that a run takes beyond its opcodes. */
  const extra = (program: Uint8Array, opcodes: number) => {
    const budget = { steps: 1_000_000 }
    run({ code: program, budget })
    return 1_000_000 - budget.steps - opcodes
  }

  test.each([
    ['a hash of nothing', code(0, 0, 'KECCAK256'), 4, 30],
    ['a hash of ten words', code(320, 0, 'KECCAK256'), 4, 30 + 60],
    ['a power with an exponent of 32 bytes', code(2n ** 256n - 1n, 3, 'EXP'), 4, 1600],
    ['a call', code(0, 0, 0, 0, other, 100, 'STATICCALL'), 8, 10],
    ['ecrecover', code(0, 0, 0, 0, 1, 5000, 'STATICCALL'), 8, 10 + 3 * 3000],
    ['a pairing', code(0, 0, 0, 0, 8, 50_000, 'STATICCALL'), 8, 10 + 3 * 45_000],
  ] as const)('%s takes more steps than an opcode', (_, program, opcodes, steps) => {
    expect(extra(program, opcodes)).toBe(steps)
  })

  test('what runs took of a budget is gone for the next', () => {
    const budget = { steps: 7 }
    const twice = [1, 2].map(() => () => run({ code: code(1, 2, 'ADD', 'STOP'), budget }))
    expect(twice[0]?.().outcome.kind).toBe('returned')
    expect(() => twice[1]?.()).toThrow(StepsExceeded)
  })

  test('a precompile is not run when the budget does not cover it', () => {
    const program = code(0, 0, 0, 0, 8, 50_000, 'STATICCALL')
    expect(() => run({ code: program, stepLimit: 3 * 45_000 })).toThrow(StepsExceeded)
  })
})
