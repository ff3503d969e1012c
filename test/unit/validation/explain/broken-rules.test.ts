import { expect, test } from 'bun:test'
import { brokenRules } from '../../../../src/validation/explain/broken-rules.ts'
import { userOp } from '../../../support/builders.ts'
import { operationFacts, phase, stranger } from '../../../support/ruleFacts.ts'

const options = {
  stakes: { account: undefined, factory: undefined, paymaster: undefined },
  required: { minStake: 10n ** 18n, minUnstakeDelay: 86_400 },
  precompiles: new Set<bigint>(),
}
const op = userOp({ verificationGasLimit: 100_000n })
const call = { opcode: 0xf1, by: 1n, to: stranger }
const read = { contract: stranger, isRead: true, isWritten: false, isTransient: false }

test('a rule that is broken again in the same way is told once', () => {
  const facts = operationFacts({ phases: [phase({ valueCalls: Array.from({ length: 5000 }, () => call) })] })
  expect(brokenRules(op, facts, options).map(({ rule }) => rule)).toEqual(['OP-061'])
})

test('of rules that are broken in thousands of ways the first two hundred are told', () => {
  const storage = Array.from({ length: 5000 }, (_, slot) => ({ ...read, slot: BigInt(slot) }))
  const told = brokenRules(op, operationFacts({ phases: [phase({ storage })] }), options)
  expect(told.map(({ slot }) => Number(slot))).toEqual(Array.from({ length: 200 }, (_, slot) => slot))
})
