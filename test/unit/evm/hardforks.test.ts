import { describe, expect, test } from 'bun:test'
import { hardforks } from '../../../src/evm/hardfork.ts'
import { operations } from '../../../src/evm/opcodes/table.ts'
import { Unsupported } from '../../../src/evm/outcome.ts'
import { code } from '../../support/evmCode.ts'
import { chainOf, run } from '../../support/evmRun.ts'

const since = (fork: string) =>
  operations.flatMap((operation) => (operation.since === fork ? operation.name : []))

describe('hardforks', () => {
  test('add opcodes', () => {
    expect(since('cancun').toSorted()).toEqual(['BLOBBASEFEE', 'BLOBHASH', 'MCOPY', 'TLOAD', 'TSTORE'])
    expect(since('prague')).toEqual([])
    expect(since('osaka')).toEqual(['CLZ'])
  })

  test('an opcode is invalid before its own', () => {
    const kinds = hardforks.map((hardfork) => run({ hardfork, code: code(1, 'CLZ') }).outcome.kind)
    expect(kinds).toEqual(['halted', 'halted', 'halted', 'returned'])
  })
})

describe('an opcode that no hardfork knows', () => {
  const unknown = Uint8Array.of(0x0c)

  test('is invalid, with all the gas gone', () => {
    expect(run({ code: unknown }).outcome).toEqual({ kind: 'halted', reason: 'invalid-opcode' })
  })

  test('ends the run where the chain may know it', () => {
    const chain = { ...chainOf('prague'), unknownOpcodes: 'unsupported' as const }
    expect(() => run({ code: unknown, chain })).toThrow(new Unsupported('opcode 0xc'))
  })

  test('is not INVALID, which every chain knows', () => {
    const chain = { ...chainOf('prague'), unknownOpcodes: 'unsupported' as const }
    expect(run({ code: code('INVALID'), chain }).outcome).toEqual({
      kind: 'halted',
      reason: 'invalid-opcode',
    })
  })
})
