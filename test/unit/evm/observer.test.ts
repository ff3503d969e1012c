import { describe, expect, test } from 'bun:test'
import type { FrameView, Observer } from '../../../src/evm/observer.ts'
import { operations } from '../../../src/evm/opcodes/table.ts'
import { code, storing } from '../../support/evmCode.ts'
import { caller, contract, run } from '../../support/evmRun.ts'

const other = 0xaan
const nameOf = new Map(operations.map(({ opcode, name }) => [opcode, name]))
const sload = 0x54

describe('before an opcode', () => {
  test('its frame is as it is then', () => {
    const seen: object[] = []
    const before = (frame: FrameView) => {
      const { depth, kind, address, pc, gas, stackSize, memorySize } = frame
      seen.push({ depth, kind, address, pc, gas, stackSize, memorySize, top: frame.peek(0) })
      seen.push([...frame.memory(31, 3)])
    }
    run({ code: code(9, 0, 'MSTORE', 5, 'SLOAD'), observer: { before: new Map([[sload, before]]) } })
    const gas = 10_000_000 - (3 + 2 + 3 + 3 + 3)
    expect(seen).toEqual([
      { depth: 0, kind: 'call', address: contract, pc: 6, gas, stackSize: 1, memorySize: 32, top: 5n },
      [9, 0, 0],
    ])
  })

  test('only those that are watched are told', () => {
    const opcodes: number[] = []
    const observer = {
      before: new Map([[sload, (_: FrameView, opcode: number) => void opcodes.push(opcode)]]),
    }
    run({ code: code(1, 'SLOAD', 2, 'SLOAD', 'POP'), observer })
    expect(opcodes).toEqual([sload, sload])
  })

  test('it is told even if the opcode then fails', () => {
    const gas: number[] = []
    const observer = { before: new Map([[sload, (frame: FrameView) => void gas.push(frame.gas)]]) }
    const { outcome } = run({ code: code(1, 'SLOAD'), observer, message: { gas: 100 } })
    expect([gas, outcome]).toEqual([[97], { kind: 'halted', reason: 'out-of-gas' }])
    expect(run({ code: code('SLOAD'), observer }).outcome).toEqual({
      kind: 'halted',
      reason: 'stack-underflow',
    })
    expect(gas).toHaveLength(2)
  })

  test('step is told of all, with the one that is watched besides', () => {
    const steps: string[] = []
    const observer: Observer = {
      step: (frame, opcode) => void steps.push(`${frame.pc} ${nameOf.get(opcode)}`),
      before: new Map([[sload, () => void steps.push('watched')]]),
    }
    run({ code: code(1, 'SLOAD'), observer })
    expect(steps).toEqual(['0 PUSH1', '2 SLOAD', 'watched', '3 STOP'])
  })

  test('an observer that throws ends the run', () => {
    const observer = {
      before: new Map([
        [
          sload,
          () => {
            throw new RangeError('enough')
          },
        ],
      ]),
    }
    expect(() => run({ code: code(1, 'SLOAD'), observer })).toThrow(new RangeError('enough'))
  })
})

/** `> kind address` for each frame that begins, `< outcome gas` for each that ends. */
function frames(): { observer: Observer; lines: string[] } {
  const lines: string[] = []
  const enter = ({ depth, kind, codeAddress, value, isStatic }: FrameView) =>
    void lines.push(`${depth} > ${kind} ${codeAddress.toString(16)} ${value}${isStatic ? ' static' : ''}`)
  const leave: Observer['leave'] = ({ depth }, outcome, gasUsed) =>
    void lines.push(`${depth} < ${outcome.kind} ${gasUsed}`)
  return { observer: { enter, leave }, lines }
}

describe('frames', () => {
  const of = (program: Uint8Array, accounts = new Map([[other, { code: code(1, 'POP') }]])) => {
    const { observer, lines } = frames()
    run({ code: program, accounts, observer, balance: 9n, message: { gas: 1_000_000 } })
    return lines.slice(1, -1)
  }

  test('the outermost is one', () => {
    const { observer, lines } = frames()
    run({ code: code('STOP'), observer, message: { value: 2n } })
    expect(lines).toEqual([`0 > call ${contract.toString(16)} 2`, '0 < returned 0'])
  })

  test('calls of code', () => {
    expect(of(code(0, 0, 0, 0, other, 500, 'STATICCALL'))).toEqual([
      '1 > staticcall aa 0 static',
      '1 < returned 5',
    ])
  })

  test('calls of a precompile, and of an account without code', () => {
    expect(of(code(0, 0, 0, 0, 4, 500, 'DELEGATECALL'))).toEqual(['1 > delegatecall 4 0', '1 < returned 15'])
    expect(of(code(0, 0, 0, 0, 3, 0xee, 500, 'CALL'))).toEqual(['1 > call ee 3', '1 < returned 0'])
  })

  test('calls that are refused', () => {
    expect(of(code(0, 0, 0, 0, 10, 0xee, 500, 'CALL'))).toEqual(['1 > call ee 10', '1 < refused 0'])
  })

  test('calls that halt have used all', () => {
    const accounts = new Map([[other, { code: code('INVALID') }]])
    expect(of(code(0, 0, 0, 0, other, 500, 'STATICCALL'), accounts)).toEqual([
      '1 > staticcall aa 0 static',
      '1 < halted 500',
    ])
  })

  test('creations, by the address to be', () => {
    const init = code(1, 0, 'RETURN')
    const program = Uint8Array.from([...storing(init), ...code(init.length, 0, 0, 'CREATE')])
    expect(of(program)[0]).toMatch(/^1 > create [0-9a-f]{39,40} 0$/)
    expect(of(program)[1]).toBe(`1 < returned ${3 + 2 + 3 + 200}`)
  })

  test('know who called them', () => {
    const callers: bigint[] = []
    run({
      code: code(0, 0, 0, 0, other, 'GAS', 'STATICCALL'),
      observer: { enter: (frame) => void callers.push(frame.caller) },
    })
    expect(callers).toEqual([caller, contract])
  })

  test('stay the same object from enter to leave', () => {
    const entered = new Set<FrameView>()
    const left: boolean[] = []
    run({
      code: code(0, 0, 0, 0, other, 'GAS', 'STATICCALL'),
      observer: {
        enter: (frame) => void entered.add(frame),
        leave: (frame) => void left.push(entered.has(frame)),
      },
    })
    expect(left).toEqual([true, true])
  })
})
