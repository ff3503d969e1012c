import { describe, expect, test } from 'bun:test'
import { checkRules } from '../../../../src/validation/rules/check-rules.ts'
import type { OperationFacts, StorageUse } from '../../../../src/validation/rules/facts.ts'
import { addressOf } from '../../../../src/validation/rules/finding.ts'
import { opcodes } from '../../../../src/validation/rules/opcodes.ts'
import {
  entryPointCall,
  factory,
  helped,
  inFactory,
  inPaymaster,
  inShort,
  operationFacts,
  parties,
  paymaster,
  phase,
  ruleOptions,
  stranger,
} from '../../../support/ruleFacts.ts'

const limits = { verificationGasLimit: 100_000n, paymasterVerificationGasLimit: 100_000n }
const found = (facts: OperationFacts, ...staked: Parameters<typeof ruleOptions>) =>
  inShort(checkRules(facts, limits, ruleOptions(...staked)))

test('what breaks nothing has no findings', () => {
  expect(checkRules(operationFacts(), limits, ruleOptions())).toEqual([])
})

describe('opcodes', () => {
  const blocked = [
    ...['ORIGIN', 'GASPRICE', 'BLOCKHASH', 'COINBASE', 'TIMESTAMP', 'NUMBER', 'PREVRANDAO', 'GASLIMIT'],
    ...['BASEFEE', 'BLOBHASH', 'BLOBBASEFEE', 'INVALID', 'SELFDESTRUCT'],
  ] as const
  test.each([...blocked])('OP-011: %s is blocked, staked or not', (name) => {
    const facts = operationFacts({
      phases: [phase({ opcodes: [{ opcode: opcodes[name as keyof typeof opcodes], by: stranger }] })],
    })
    const [finding] = checkRules(facts, limits, ruleOptions('account'))
    expect(finding).toEqual({
      rule: 'OP-011',
      entity: 'account',
      address: addressOf(parties.account),
      did: `used opcode ${name}`,
      opcode: name,
      contract: addressOf(stranger),
      hint: 'what the block or the transaction is like may not decide over validation',
      liftedBy: undefined,
    })
  })

  test('OP-012: GAS that no call follows', () => {
    const use = { opcode: opcodes.GAS, by: parties.account }
    expect(found(operationFacts({ phases: [phase({ opcodes: [use] })] }))).toEqual(['OP-012 account'])
  })

  test('OP-013: unassigned opcodes', () => {
    const use = { opcode: 0x0c, by: parties.account }
    expect(found(operationFacts({ phases: [phase({ unassigned: [use] })] }))).toEqual(['OP-013 account'])
  })

  test('OP-020: a frame that ran out of gas', () => {
    expect(found(helped(inPaymaster({ exhausted: [stranger] })))).toEqual(['OP-020 paymaster'])
  })

  test.each([opcodes.BALANCE, opcodes.SELFBALANCE])(
    'OP-080: balances (%p) are for staked entities',
    (opcode) => {
      const facts = helped(inPaymaster({ opcodes: [{ opcode, by: paymaster }] }))
      expect(found(facts)).toEqual(['OP-080 paymaster, unless paymaster is staked'])
      expect(found(facts, 'account', 'factory')).toEqual(['OP-080 paymaster, unless paymaster is staked'])
      expect(found(facts, 'paymaster')).toEqual([])
    },
  )
})

describe('creations', () => {
  const create2 = { opcode: opcodes.CREATE2, by: factory, created: parties.account }
  const create = { opcode: opcodes.CREATE, by: parties.account, created: stranger }

  test('OP-031: one CREATE2 may deploy the sender, in the deployment', () => {
    expect(found(helped(inFactory({ creations: [create2] })))).toEqual([])
    expect(found(helped(inFactory({ creations: [{ ...create2, by: stranger }] })))).toEqual([])
    expect(found(helped(inFactory({ creations: [create2, create2] })))).toEqual([
      'OP-031 factory, unless factory is staked',
    ])
    expect(found(helped(inFactory({ creations: [{ ...create2, created: stranger }] })))).toEqual([
      'OP-031 factory, unless factory is staked',
    ])
    expect(found(helped(inPaymaster({ creations: [{ ...create2, by: paymaster }] })))).toEqual([
      'OP-031 paymaster',
    ])
    expect(found(operationFacts({ phases: [phase({ creations: [create2] })] }))).toEqual(['OP-031 account'])
  })

  test('OP-032: beside a factory the sender itself may use CREATE', () => {
    expect(found(helped(phase({ creations: [create] })))).toEqual([])
    expect(found(helped(inFactory({ creations: [create] })))).toEqual([])
    expect(found(operationFacts({ phases: [phase({ creations: [create] })] }))).toEqual(['OP-011 account'])
    expect(found(helped(phase({ creations: [{ ...create, by: stranger }] })))).toEqual(['OP-011 account'])
  })

  test('EREP-060: a staked factory and its sender may create what they like', () => {
    const byFactory = { opcode: opcodes.CREATE, by: factory, created: stranger }
    const bySender = { opcode: opcodes.CREATE2, by: parties.account, created: stranger }
    expect(found(helped(inFactory({ creations: [byFactory] })))).toEqual([
      'OP-011 factory, unless factory is staked',
    ])
    expect(found(helped(inFactory({ creations: [byFactory] })), 'factory')).toEqual([])
    expect(found(helped(phase({ creations: [bySender] })))).toEqual([
      'OP-031 account, unless factory is staked',
    ])
    expect(found(helped(phase({ creations: [bySender] })), 'factory')).toEqual([])
  })

  test('EREP-061: what a staked factory calls may use CREATE, but no CREATE2', () => {
    const byUtility = { opcode: opcodes.CREATE, by: stranger, created: 0xd00000n }
    expect(found(helped(inFactory({ creations: [byUtility] })))).toEqual([
      'OP-011 factory, unless factory is staked',
    ])
    expect(found(helped(inFactory({ creations: [byUtility] })), 'factory')).toEqual([])
    expect(found(helped(phase({ creations: [byUtility] })), 'factory')).toEqual(['OP-011 account'])
    const salted = { ...byUtility, opcode: opcodes.CREATE2 }
    expect(found(helped(inFactory({ creations: [salted] })), 'factory')).toEqual(['OP-031 factory'])
  })
})

describe('access', () => {
  const use = { opcode: opcodes.STATICCALL, by: parties.account, address: stranger, hasCode: true }
  const using = (change: Partial<typeof use>) =>
    found(operationFacts({ phases: [phase({ uses: [{ ...use, ...change } as typeof use] })] }))

  test('OP-041: what is called or looked at has code', () => {
    expect(using({})).toEqual([])
    expect(using({ hasCode: false })).toEqual(['OP-041 account'])
    expect(using({ hasCode: false, address: 0n })).toEqual(['OP-041 account'])
  })

  test('OP-042: but for the sender', () => {
    expect(using({ hasCode: false, address: parties.account })).toEqual([])
  })

  test('OP-061: value goes to the EntryPoint only', () => {
    const call = { opcode: opcodes.CALL, by: parties.account, to: stranger }
    expect(found(operationFacts({ phases: [phase({ valueCalls: [call] })] }), 'account')).toEqual([
      'OP-061 account',
    ])
  })

  test('OP-062: precompiles that the chain has, and that depend on their input alone', () => {
    expect(using({ hasCode: false, address: 1n })).toEqual([])
    expect(using({ hasCode: false, address: 0x64n })).toEqual(['OP-062 account'])
    expect(using({ hasCode: true, address: 0x64n })).toEqual(['OP-062 account'])
    expect(using({ hasCode: false, address: 0x100n })).toEqual([])
    expect(using({ hasCode: false, address: 0x12n })).toEqual(['OP-062 account'])
    expect(using({ hasCode: false, address: 0x0an })).toEqual(['OP-062 account'])
  })
})

describe('the EntryPoint', () => {
  const calling = (change: Parameters<typeof entryPointCall>[0]) =>
    found(helped(phase({ entryPointUses: [entryPointCall(change)] })))

  test('OP-051: EXTCODESIZE to see whether it is there', () => {
    expect(calling({ opcode: opcodes.EXTCODESIZE, isZeroCheck: true, by: stranger })).toEqual([])
    expect(calling({ opcode: opcodes.EXTCODESIZE, by: stranger })).toEqual(['OP-054 account'])
  })

  test('OP-052: depositTo for the sender, by the sender or the factory', () => {
    expect(calling({})).toEqual([])
    expect(calling({ by: factory })).toEqual([])
    expect(calling({ by: paymaster })).toEqual(['OP-054 account'])
    expect(calling({ argument: stranger })).toEqual(['OP-054 account'])
  })

  test('OP-053: its fallback, by the sender', () => {
    expect(calling({ inputSize: 0 })).toEqual([])
    expect(calling({ inputSize: 0, by: factory })).toEqual(['OP-054 account'])
  })

  test('OP-054: nothing else', () => {
    expect(calling({ selector: 0x35567e1a })).toEqual(['OP-054 account'])
    expect(calling({ inputSize: 3, selector: 0x35567e00 })).toEqual(['OP-054 account'])
    expect(calling({ opcode: opcodes.STATICCALL })).toEqual(['OP-054 account'])
    expect(calling({ opcode: opcodes.DELEGATECALL, inputSize: 0 })).toEqual(['OP-054 account'])
    expect(calling({ opcode: opcodes.EXTCODEHASH })).toEqual(['OP-054 account'])
  })
})

describe('storage', () => {
  const slot = { contract: stranger, slot: 7n, isRead: true, isWritten: false, isTransient: false }
  const hash = 1n << 200n
  const deployed = { ...parties, paymaster }
  type Case = { use: Partial<StorageUse>; by?: 'account' | 'factory' | 'paymaster'; isNew?: boolean }
  const factsOf = ({ use, by = 'account', isNew = false }: Case): OperationFacts => {
    const phases = {
      account: phase({ storage: [{ ...slot, ...use }] }),
      factory: inFactory({ storage: [{ ...slot, ...use }] }),
      paymaster: inPaymaster({ storage: [{ ...slot, ...use }] }),
    }
    return {
      ...operationFacts({ phases: [phases[by]] }),
      parties: isNew ? { ...deployed, factory } : deployed,
      hashed: [
        { owner: parties.account, hash },
        { owner: paymaster, hash: hash * 2n },
      ],
    }
  }

  test('STO-010: the account’s own is open to all', () => {
    for (const by of ['account', 'factory', 'paymaster'] as const) {
      const use = { contract: parties.account, isWritten: true }
      expect(found(factsOf({ use, by, isNew: true }))).toEqual([])
    }
  })

  test('STO-021: what is associated with an account that exists is open', () => {
    for (const by of ['account', 'paymaster'] as const) {
      expect(found(factsOf({ use: { slot: parties.account, isWritten: true }, by }))).toEqual([])
      expect(found(factsOf({ use: { slot: hash, isWritten: true }, by }))).toEqual([])
      expect(found(factsOf({ use: { slot: hash + 128n, isWritten: true }, by }))).toEqual([])
    }
    expect(found(factsOf({ use: { slot: hash + 129n, isWritten: true } }))).toEqual(['STO-033 account'])
    expect(found(factsOf({ use: { slot: hash - 1n, isWritten: true } }))).toEqual(['STO-033 account'])
  })

  test('STO-022: and of one that does not exist yet, with a staked factory', () => {
    const facts = factsOf({ use: { slot: hash, isWritten: true }, isNew: true })
    expect(found(facts)).toEqual(['STO-022 account, unless factory is staked'])
    expect(found(facts, 'account')).toEqual(['STO-022 account, unless factory is staked'])
    expect(found(facts, 'factory')).toEqual([])
  })

  test('STO-031: an entity’s own is for that entity, staked', () => {
    const own = factsOf({ use: { contract: paymaster, isWritten: true }, by: 'paymaster' })
    expect(found(own)).toEqual(['STO-031 paymaster, unless paymaster is staked'])
    expect(found(own, 'paymaster')).toEqual([])
    expect(found(factsOf({ use: { contract: paymaster } }), 'account', 'paymaster')).toEqual([
      'STO-031 account',
    ])
    const associated = factsOf({ use: { contract: paymaster, slot: hash }, by: 'paymaster' })
    expect(found(associated)).toEqual(['STO-031 paymaster, unless paymaster is staked'])
  })

  test('STO-032: what is associated with a staked entity', () => {
    const facts = factsOf({ use: { slot: hash * 2n, isWritten: true }, by: 'paymaster' })
    expect(found(facts)).toEqual(['STO-032 paymaster, unless paymaster is staked'])
    expect(found(facts, 'paymaster')).toEqual([])
    expect(found(factsOf({ use: { slot: hash * 2n, isWritten: true } }), 'account', 'paymaster')).toEqual([
      'STO-033 account',
    ])
  })

  test('STO-033: a staked entity may read what it likes', () => {
    const read = factsOf({ use: {}, by: 'paymaster' })
    expect(found(read)).toEqual(['STO-033 paymaster, unless paymaster is staked'])
    expect(found(read, 'paymaster')).toEqual([])
    expect(found(factsOf({ use: { isWritten: true }, by: 'paymaster' }), 'paymaster')).toEqual([
      'STO-033 paymaster',
    ])
    expect(found(factsOf({ use: {} }))).toEqual(['STO-033 account, unless account is staked'])
    expect(found(factsOf({ use: {} }), 'account')).toEqual([])
  })

  test('OP-070: transient storage is no different', () => {
    const facts = factsOf({ use: { isTransient: true, isWritten: true, isRead: false } })
    const [finding] = checkRules(facts, limits, ruleOptions())
    expect(finding).toMatchObject({
      rule: 'STO-033',
      slot: `0x${'00'.repeat(31)}07`,
      did: `wrote transient slot 0x${'00'.repeat(31)}07 of storage of ${addressOf(stranger)}`,
    })
  })
})

describe('EIP-7702 accounts', () => {
  const code = { hash: 1n, delegate: stranger }

  test('AUTH-020: they are no entities but senders', () => {
    const facts = { ...helped(phase()), codes: [{ ...code, address: paymaster }] }
    expect(found(facts)).toEqual(['AUTH-020 paymaster'])
    expect(found({ ...facts, codes: [{ ...code, address: factory }] })).toEqual(['AUTH-020 factory'])
    expect(found({ ...facts, codes: [{ ...code, address: parties.account }] })).toEqual([])
  })

  test('AUTH-030: nobody else’s is used', () => {
    const use = { opcode: opcodes.CALL, by: paymaster, address: stranger, hasCode: true }
    const facts = helped(inPaymaster({ uses: [use, { ...use, address: parties.account }] }))
    const delegating = [parties.account, stranger].map((address) => ({ ...code, address }))
    expect(found(facts)).toEqual([])
    expect(found({ ...facts, codes: delegating })).toEqual(['AUTH-030 paymaster'])
  })
})

describe('limits', () => {
  const paid = { ...operationFacts(), parties: { ...parties, paymaster } }

  test('LIM-020: a context of 2048 bytes at most', () => {
    expect(found({ ...paid, contextSize: 2048 }, 'paymaster')).toEqual([])
    expect(found({ ...paid, contextSize: 2049 }, 'paymaster')).toEqual(['LIM-020 paymaster'])
  })

  test('EREP-050: a context takes a staked paymaster', () => {
    expect(found({ ...paid, contextSize: 1 })).toEqual(['EREP-050 paymaster, unless paymaster is staked'])
    expect(found({ ...paid, contextSize: 1 }, 'paymaster')).toEqual([])
  })

  test('LIM-030: limits are 4000 gas above what is used', () => {
    const used = (verification: number, paymasterVerification: number) =>
      found({ ...paid, gas: { verification, paymasterVerification } })
    expect(used(96_000, 96_000)).toEqual([])
    expect(used(96_001, 96_000)).toEqual(['LIM-030 account'])
    expect(used(96_000, 96_001)).toEqual(['LIM-030 paymaster'])
    expect(found({ ...paid, gas: { verification: undefined, paymasterVerification: undefined } })).toEqual([])
  })

  test('LIM-030: the slack may be used in a bundle', () => {
    const facts = { ...paid, gas: { verification: 99_999, paymasterVerification: 99_999 } }
    expect(checkRules(facts, undefined, ruleOptions())).toEqual([])
  })

  test('LIM-060: limits of unstaked entities are lower than 500000', () => {
    const lavish = { verificationGasLimit: 500_000n, paymasterVerificationGasLimit: 500_000n }
    const judged = (facts: OperationFacts, ...staked: Parameters<typeof ruleOptions>) =>
      inShort(checkRules(facts, lavish, ruleOptions(...staked)))
    expect(judged(paid)).toEqual([
      'LIM-060 account, unless account is staked',
      'LIM-060 paymaster, unless paymaster is staked',
    ])
    expect(judged(paid, 'account', 'paymaster')).toEqual([])
    expect(judged(helped(phase()), 'factory', 'paymaster')).toEqual([])
    expect(judged(operationFacts(), 'account')).toEqual([])
  })
})
