import { describe, expect, test } from 'bun:test'
import { withOverrides } from '../../../src/evm/state/overrides.ts'
import { createState } from '../../../src/evm/state/state.ts'
import { MissingState } from '../../../src/evm/state-source.ts'
import { emptyCodeHash } from '../../../src/evm/word.ts'
import { code } from '../../support/evmCode.ts'
import { chainOf } from '../../support/evmRun.ts'
import { stateOf } from '../../support/evmState.ts'

const { keccak } = chainOf('prague')
const known = 0xaan
const unknown = 0xbbn
const oldCode = code('STOP')
const newCode = code('INVALID')
const storage = new Map([
  [1n, 11n],
  [2n, 22n],
])
const source = stateOf(new Map([[known, { nonce: 3n, balance: 100n, code: oldCode, storage }]]), keccak)

describe('overrides', () => {
  test('change what they name', () => {
    const overridden = withOverrides(source, new Map([[known, { balance: 5n }]]), keccak)
    expect(overridden.account(known)).toEqual({ balance: 5n, codeHash: keccak(oldCode) })
    expect(overridden.nonce(known)).toBe(3n)
    expect(overridden.storage(known, 1n)).toBe(11n)
  })

  test('bring code with its hash', () => {
    const state = createState(withOverrides(source, new Map([[known, { code: newCode }]]), keccak))
    expect([state.code(known), state.codeHash(known)]).toEqual([newCode, keccak(newCode)])
  })

  test('take code away', () => {
    const state = createState(withOverrides(source, new Map([[known, { code: new Uint8Array() }]]), keccak))
    expect([state.code(known), state.codeHash(known)]).toEqual([new Uint8Array(), emptyCodeHash])
  })

  test('make accounts', () => {
    const overridden = withOverrides(source, new Map([[unknown, { nonce: 9n }]]), keccak)
    expect(overridden.account(unknown)).toEqual({ balance: 0n, codeHash: emptyCodeHash })
    expect(overridden.nonce(unknown)).toBe(9n)
  })

  test('replace the whole storage, or some slots', () => {
    const slots = (override: object) => {
      const overridden = withOverrides(source, new Map([[known, override]]), keccak)
      return [overridden.storage(known, 1n), overridden.storage(known, 2n)]
    }
    expect(slots({ state: new Map([[1n, 5n]]) })).toEqual([5n, 0n])
    expect(slots({ stateDiff: new Map([[1n, 5n]]) })).toEqual([5n, 22n])
    expect(slots({ stateDiff: new Map([[1n, 0n]]) })).toEqual([0n, 22n])
  })

  test('ask for nothing that they make needless', () => {
    const nothing = {
      ...source,
      account: (address: bigint) => {
        throw new MissingState({ kind: 'account', address })
      },
      nonce: (address: bigint) => {
        throw new MissingState({ kind: 'nonce', address })
      },
    }
    const whole = { balance: 1n, nonce: 2n, code: newCode }
    const overridden = withOverrides(nothing, new Map([[known, whole]]), keccak)
    expect(overridden.account(known)).toEqual({ balance: 1n, codeHash: keccak(newCode) })
    expect(overridden.nonce(known)).toBe(2n)
  })
})
