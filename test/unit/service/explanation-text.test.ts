import { expect, test } from 'bun:test'
import { explanationText } from '../../../src/service/explain/text.ts'
import type { CallNode, Explanation } from '../../../src/types/explanation.ts'
import { facts, userOp } from '../../support/builders.ts'

const op = userOp()
const leaf: CallNode = {
  ...{ kind: 'call', phase: undefined, from: op.sender, to: op.sender, value: 0n },
  ...{ input: '0x12345678', inputSize: 4, decoded: undefined, gas: 10, gasUsed: 1234 },
  ...{ result: 'returned', reason: undefined, output: '0x', outputSize: 0, revert: undefined, calls: [] },
}
const accepted: Explanation = {
  verdict: { kind: 'accepted', facts: facts(op, { level: 'full' }) },
  findings: [],
  handled: undefined,
}

function linesOf(calls: CallNode): string[] {
  const handled = {
    ...{ phases: [], verificationGas: undefined, paymasterVerificationGas: undefined, gasUsed: 5000 },
    ...{ calls, callsLeftOut: 7, storage: [] },
  }
  return explanationText({ op, chainId: 1, block: 2, explanation: { ...accepted, handled } }).split('\n')
}

test('a tree of calls: who is called by the part that it has, what it cost, why it failed', () => {
  const failed: CallNode = { ...leaf, kind: 'delegatecall', result: 'halted', reason: 'out-of-gas' }
  const decoded = { name: 'execute', args: ['0x1', 'a'.repeat(60)] }
  const lines = linesOf({ ...leaf, decoded, phase: 'execute', calls: [{ ...leaf, calls: [failed] }, leaf] })
  const start = lines.indexOf('calls')
  expect(lines.slice(start, start + 6)).toEqual([
    'calls',
    `  [execute] account.execute(0x1, ${'a'.repeat(41)}…)  1,234 gas`,
    '  ├─ account.0x12345678  1,234 gas',
    '  │  └─ delegatecall account.0x12345678  1,234 gas ✗ out-of-gas',
    '  └─ account.0x12345678  1,234 gas',
    '  … and 7 more calls',
  ])
})

test('what a contract says cannot move the cursor or turn the text round', () => {
  const revert = 'fine\u001b[2J\n\u202eaccepted'
  const lines = linesOf({ ...leaf, result: 'reverted', revert })
  expect(lines).toContain('  account.0x12345678  1,234 gas ✗ fine?[2J??accepted')
})

test('where only the node judges, there is no run to tell of', () => {
  const text = explanationText({ op, chainId: 1, block: 2, explanation: accepted })
  expect(text).toEndWith('only the node could judge: it shows no calls\n')
})
