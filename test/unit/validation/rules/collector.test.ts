import { expect, test } from 'bun:test'
import type { FrameView } from '../../../../src/evm/observer.ts'
import type { Outcome } from '../../../../src/evm/outcome.ts'
import { emptyCodeHash } from '../../../../src/evm/word.ts'
import { createCollector } from '../../../../src/validation/rules/collector.ts'
import { opcodes } from '../../../../src/validation/rules/opcodes.ts'
import { parties, phase, stranger } from '../../../support/ruleFacts.ts'

const { account, entryPoint } = parties
const returned: Outcome = { kind: 'returned', output: new Uint8Array(32), gasLeft: 0 }
const halted = (reason: Extract<Outcome, { kind: 'halted' }>['reason']): Outcome => ({
  kind: 'halted',
  reason,
})

function frame(changes: Partial<FrameView>): FrameView {
  return {
    ...{ kind: 'call', depth: 2, caller: account, address: stranger, codeAddress: stranger, value: 0n },
    ...{ input: new Uint8Array(), isStatic: false, code: new Uint8Array(), pc: 0, gas: 0 },
    ...{ peek: () => 0n, stackSize: 1, memory: (_, size) => new Uint8Array(size), memorySize: 0 },
    ...changes,
  }
}
/** validateUserOp since 0.7 */
const validation = frame({
  ...{ depth: 1, caller: entryPoint, address: account, codeAddress: account },
  input: Uint8Array.fromHex('19822f7c'),
})

/** What an account's phase shows of what `during` lets happen in it. */
function phaseWith(during: (collector: ReturnType<typeof createCollector>) => void) {
  const state = { codeHash: () => emptyCodeHash, code: () => new Uint8Array() }
  const collector = createCollector({ version: '0.7', operations: [parties] }, { state, keccak: () => 0n })
  collector.observer.enter?.(validation)
  during(collector)
  collector.observer.leave?.(validation, returned, 20_000)
  return collector.facts()[0]?.phases
}

test('OP-020: no room on the call stack is as good as no gas', () => {
  const phases = phaseWith(({ observer }) => {
    const refused = frame({ depth: 1025 })
    observer.enter?.(refused)
    observer.leave?.(refused, { kind: 'refused', reason: 'depth', gasLeft: 0 }, 0)
  })
  expect(phases).toEqual([phase({ exhausted: [account] })])
})

test('OP-013: INVALID is no unassigned opcode, others are', () => {
  const ending = (code: string) =>
    phaseWith(({ observer }) => {
      const inner = frame({ code: Uint8Array.fromHex(code), pc: 1 })
      observer.enter?.(inner)
      observer.before?.get(opcodes.INVALID)?.(inner, opcodes.INVALID)
      observer.leave?.(inner, halted('invalid-opcode'), 0)
    })
  const invalid = { opcode: opcodes.INVALID, by: stranger }
  expect(ending('5bfe')).toEqual([phase({ opcodes: [invalid] })])
  expect(ending('5b0c')).toEqual([
    phase({ opcodes: [invalid], unassigned: [{ opcode: 0x0c, by: stranger }] }),
  ])
})

test('what the EntryPoint does is nobody’s, wherever it is called', () => {
  const phases = phaseWith(({ observer }) => {
    const inner = frame({ address: entryPoint, codeAddress: entryPoint })
    observer.enter?.(inner)
    observer.before?.get(opcodes.SLOAD)?.(inner, opcodes.SLOAD)
    observer.before?.get(opcodes.TIMESTAMP)?.(inner, opcodes.TIMESTAMP)
    observer.leave?.(inner, halted('precompile-failed'), 0)
  })
  expect(phases).toEqual([phase()])
})

test('but how much gas it is given, which its caller decides', () => {
  const phases = phaseWith(({ observer }) => {
    const inner = frame({ address: entryPoint, codeAddress: entryPoint })
    observer.enter?.(inner)
    observer.leave?.(inner, halted('out-of-gas'), 0)
  })
  expect(phases).toEqual([phase({ exhausted: [entryPoint] })])
})

test('nor is what happens outside of the phases', () => {
  const phases = phaseWith(() => {})
  expect(phases).toEqual([phase()])
  const state = { codeHash: () => emptyCodeHash, code: () => new Uint8Array() }
  const { observer, facts } = createCollector(
    { version: '0.7', operations: [parties] },
    { state, keccak: () => 0n },
  )
  observer.before?.get(opcodes.TIMESTAMP)?.(frame({ depth: 0, address: entryPoint }), opcodes.TIMESTAMP)
  observer.enter?.(frame({ depth: 1, caller: entryPoint, input: Uint8Array.fromHex('0042dc53') }))
  expect(facts()).toEqual([])
})
