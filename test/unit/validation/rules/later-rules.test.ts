import { expect, test } from 'bun:test'
import {
  checkCodes,
  checkContextSize,
  checkGasOfStaked,
} from '../../../../src/validation/rules/later-rules.ts'
import { scopeOf } from '../../../../src/validation/rules/scope.ts'
import { address } from '../../../support/builders.ts'
import {
  factory,
  helped,
  inPaymaster,
  inShort,
  operationFacts,
  parties,
  paymaster,
  phase,
  ruleOptions,
  stranger,
} from '../../../support/ruleFacts.ts'

test('COD-010: code that was used is what it was when it was used before', () => {
  const code = { address: stranger, hash: 1n, delegate: undefined }
  const before = operationFacts({ codes: [code] })
  const use = { opcode: 0xfa, by: paymaster, address: stranger, hasCode: true }
  const now = { ...helped(phase(), inPaymaster({ uses: [use] })), codes: [{ ...code, hash: 2n }] }
  expect(checkCodes(scopeOf(before), before)).toEqual([])
  expect(inShort(checkCodes(scopeOf(before), now))).toEqual(['COD-010 paymaster'])
  const ofAccount = operationFacts({ codes: [{ ...code, address: parties.account }] })
  const changed = operationFacts({ codes: [{ ...code, address: parties.account, hash: 2n }] })
  expect(inShort(checkCodes(scopeOf(ofAccount), changed))).toEqual(['COD-010 account'])
})

test('EREP-055: a context keeps its size', () => {
  const before = { ...helped(phase()), contextSize: 64 }
  expect(checkContextSize(scopeOf(before), before)).toEqual([])
  expect(inShort(checkContextSize(scopeOf(before), { ...before, contextSize: 32 }))).toEqual([
    'EREP-055 paymaster',
  ])
})

test('EREP-070: staked entities use no more than 10 % less gas in the bundle', () => {
  const using = (gasUsed: number) => helped(phase(), inPaymaster({ gasUsed }))
  const before = scopeOf(using(10_000))
  const judge = (gasUsed: number, ...staked: Parameters<typeof ruleOptions>) =>
    inShort(checkGasOfStaked(before, using(gasUsed), ruleOptions(...staked)))
  expect(judge(9_000, 'paymaster')).toEqual([])
  expect(judge(8_999, 'paymaster')).toEqual(['EREP-070 paymaster'])
  expect(judge(8_999)).toEqual([])
})

test('EREP-070: but what operations before theirs spared them', () => {
  const slot = { contract: paymaster, slot: 2n, isRead: true, isWritten: false, isTransient: false }
  const use = { opcode: 0xfa, by: paymaster, address: stranger, hasCode: true }
  const using = (gasUsed: number) => helped(inPaymaster({ gasUsed, storage: [slot], uses: [use] }))
  const judge = (gasUsed: number) =>
    inShort(checkGasOfStaked(scopeOf(using(10_000)), using(gasUsed), ruleOptions('paymaster')))
  expect(judge(4_500)).toEqual([])
  expect(judge(4_499)).toEqual(['EREP-070 paymaster'])
})

test('EREP-070: nor that an earlier operation left enough for the EntryPoint', () => {
  const using = (gasUsed: number) => operationFacts({ phases: [phase({ gasUsed })] })
  const judge = (gasUsed: number) =>
    inShort(checkGasOfStaked(scopeOf(using(50_000)), using(gasUsed), ruleOptions('account')))
  expect(judge(10_000)).toEqual([])
  expect(judge(9_999)).toEqual(['EREP-070 account'])
})

test('STO-041: contracts that hold storage associated with the account or an entity', () => {
  const slot = { slot: 1n, isRead: true, isWritten: false, isTransient: false }
  const facts = helped(
    phase({
      storage: [
        { ...slot, contract: parties.account, slot: parties.account },
        { ...slot, contract: 0xd00000n, slot: parties.account },
        { ...slot, contract: stranger },
      ],
    }),
    inPaymaster({
      storage: [
        { ...slot, contract: paymaster, slot: paymaster },
        { ...slot, contract: 0xd10000n, slot: paymaster },
        { ...slot, contract: 0xd20000n, slot: factory },
      ],
    }),
  )
  expect(scopeOf(facts).associated).toEqual([address(0xd00000), address(0xd10000)])
})
