import { expect, test } from 'bun:test'
import { parseEther } from 'viem'
import { toWire } from '../../../../src/base/errors.ts'
import { checkRules } from '../../../../src/validation/rules/check-rules.ts'
import type { OperationFacts } from '../../../../src/validation/rules/facts.ts'
import { addressOf } from '../../../../src/validation/rules/finding.ts'
import { rejectionOfFinding, worstOf } from '../../../../src/validation/rules/rejection.ts'
import {
  helped,
  inPaymaster,
  operationFacts,
  parties,
  paymaster,
  phase,
  ruleOptions,
} from '../../../support/ruleFacts.ts'

const limits = { verificationGasLimit: 100_000n, paymasterVerificationGasLimit: 100_000n }
const ownSlot = { contract: paymaster, slot: 2n, isRead: true, isWritten: false, isTransient: false }
const origin = { opcode: 0x32, by: parties.account }

function rejection(facts: OperationFacts) {
  const worst = worstOf(checkRules(facts, limits, ruleOptions()))
  if (worst === undefined) throw new Error('nothing was found')
  return toWire(rejectionOfFinding(worst, { minStake: parseEther('1'), minUnstakeDelay: 86_400 }))
}

test('-32502 says who did what against which rule, and where', () => {
  expect(rejection(operationFacts({ phases: [phase({ opcodes: [origin] })] }))).toEqual({
    code: -32502,
    message: 'account used opcode ORIGIN',
    data: {
      rule: 'OP-011',
      entity: 'account',
      address: addressOf(parties.account),
      opcode: 'ORIGIN',
      slot: undefined,
      contract: addressOf(parties.account),
      hint: 'what the block or the transaction is like may not decide over validation',
    },
  })
})

test('-32505 where stake is all that is missing', () => {
  expect(rejection(helped(inPaymaster({ storage: [ownSlot] })))).toEqual({
    code: -32505,
    message: `paymaster read slot 0x${'00'.repeat(31)}02 of its own storage: paymaster is not staked`,
    data: {
      rule: 'STO-031',
      entity: 'paymaster',
      address: addressOf(paymaster),
      paymaster: addressOf(paymaster),
      opcode: undefined,
      slot: `0x${'00'.repeat(31)}02`,
      contract: addressOf(paymaster),
      hint: 'stake the paymaster: its own storage is for staked ones',
      minimumStake: '0xde0b6b3a7640000',
      minimumUnstakeDelay: '0x15180',
    },
  })
})

test('what no stake lifts is told first', () => {
  const facts = helped(inPaymaster({ storage: [ownSlot] }), phase({ opcodes: [origin] }))
  expect(rejection(facts).data?.rule).toBe('OP-011')
})

test('-32602 where a higher limit would do', () => {
  const facts = operationFacts({ gas: { verification: 99_000, paymasterVerification: undefined } })
  expect(rejection(facts)).toMatchObject({
    code: -32602,
    message: 'account used 99000 gas of a verificationGasLimit of 100000',
    data: { rule: 'LIM-030', path: 'params[0].verificationGasLimit', atLeast: '0x19258' },
  })
})
