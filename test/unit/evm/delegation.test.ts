import { describe, expect, test } from 'bun:test'
import { designatorOf } from '../../../src/evm/delegation.ts'
import { code, returnTop } from '../../support/evmCode.ts'
import { chainOf, contract, returned, run, type Scene } from '../../support/evmRun.ts'

const delegating = 0xaan
const delegate = 0xddn
const designator = designatorOf(delegate)
const tellAddress = code('ADDRESS', ...returnTop)
const accounts = new Map([
  [delegating, { code: designator }],
  [delegate, { code: tellAddress }],
])

const callThen = (...parts: readonly (string | number | bigint)[]) =>
  code(32, 0, 0, 0, 0, delegating, 'GAS', 'CALL', ...parts)

describe('an account that delegates (EIP-7702)', () => {
  test('runs the code of its delegate as its own', () => {
    expect(returned({ code: callThen(0, 'MLOAD', ...returnTop), accounts })).toBe(delegating)
  })

  test('does so when it is called from outside', () => {
    const scene: Scene = { accounts: new Map([...accounts, [contract, { code: designator }]]) }
    expect(returned(scene)).toBe(contract)
  })

  test('has the designator for its code', () => {
    const told = (opcode: string) => returned({ code: code(delegating, opcode, ...returnTop), accounts })
    expect(told('EXTCODESIZE')).toBe(23n)
    expect(told('EXTCODEHASH')).toBe(chainOf('prague').keccak(designator))
    const copied = code(23, 0, 9, delegating, 'EXTCODECOPY', 0, 'MLOAD', ...returnTop)
    expect(returned({ code: copied, accounts })).toBe((0xef0100n << 160n) | delegate)
  })

  test('has the code of the delegate for CODESIZE', () => {
    const withSize = new Map([...accounts, [delegate, { code: code('CODESIZE', ...returnTop) }]])
    expect(returned({ code: callThen(0, 'MLOAD', ...returnTop), accounts: withSize })).toBe(7n)
  })

  test('costs the access of the delegate besides its own', () => {
    const cost = (warm: readonly bigint[]) => run({ code: callThen(), accounts, warm }).gasUsed
    const inside = run({
      code: callThen(),
      accounts: new Map([[delegating, { code: tellAddress }]]),
      warm: [delegating],
    })
    expect(cost([delegating, delegate]) - inside.gasUsed).toBe(100)
    expect(cost([delegating]) - inside.gasUsed).toBe(2600)
    expect(cost([]) - inside.gasUsed).toBe(2500 + 2600)
  })

  test('does not delegate on: the code of its delegate is no designator but invalid', () => {
    const chained = new Map([...accounts, [delegate, { code: designatorOf(0xeen) }]])
    expect(returned({ code: callThen(...returnTop), accounts: chained })).toBe(0n)
  })

  test('to a precompile has no code', () => {
    const toIdentity = new Map([[delegating, { code: designatorOf(4n) }]])
    const { outcome } = run({ code: callThen('RETURNDATASIZE', 'ADD', ...returnTop), accounts: toIdentity })
    expect(outcome).toMatchObject({ output: Uint8Array.of(...Array(31).fill(0), 1) })
  })

  test('was no such thing before Prague: its code is invalid', () => {
    expect(returned({ hardfork: 'cancun', code: callThen(...returnTop), accounts })).toBe(0n)
  })
})
