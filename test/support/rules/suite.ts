import type { Address } from 'viem'
import type { EntityKind } from '../../../src/types/entity.ts'
import type { EntryPointVersion } from '../../../src/types/entrypoint-version.ts'
import { eip7702Factory, type UserOperation } from '../../../src/types/userop.ts'
import {
  type Action,
  accountProgram,
  anySlot,
  balanceOf,
  call,
  callcode,
  create,
  create2,
  delegatecall,
  depositTo,
  factoryProgram,
  lookAt,
  opcode,
  paymasterProgram,
  perform,
  slotOf,
  staticcall,
  touch,
} from './actions.ts'
import { simulated } from './judge.ts'
import type { RuleWorld } from './world.ts'

export type Expected =
  | 'accepted'
  | { code: -32502 | -32505 | -32602; rule: string; entity: EntityKind; opcode?: string }

/** An operation that breaks a rule of ERC-7562, or one that just does not. */
export type RuleCase = {
  /** The rule that is broken, or that allows it. */
  rule: string
  name: string
  build(world: RuleWorld): Promise<UserOperation>
  expected: Expected
  /** All, unless it says otherwise. */
  versions?: readonly EntryPointVersion[]
}

/** Where an operation's validation does what. What is left out does nothing. */
type Plan = {
  /** `new`: made by the operation, with the unstaked factory unless `factory` says other. */
  sender?: 'deployed' | 'staked' | 'new' | 'delegated'
  factory?: 'unstaked' | 'staked' | 'delegated'
  paymaster?: 'unstaked' | 'staked' | 'delegated'
  account?: Script
  inFactory?: Script
  /** The account, while it is deployed. */
  inDeployment?: Script
  inPaymaster?: Script
  contextSize?: number
  /** What runs once validation is over. */
  execution?: Script
  changes?: Partial<UserOperation>
}
type Script = (world: RuleWorld, sender: Address) => readonly Action[]

const none: Script = () => []

export async function buildOperation(world: RuleWorld, plan: Plan): Promise<UserOperation> {
  const made = plan.sender === 'new' ? await world.futureAccount(factoryFor(world, plan)) : undefined
  const sender = made?.address ?? (await existingSender(world, plan))
  const actions = (script: Script | undefined) => (script ?? none)(world, sender)
  const payer = paymasterFor(world, plan)
  const paid = payer !== undefined && world.version !== '0.6'
  return {
    version: world.version,
    sender,
    nonce: 0n,
    factory: made === undefined ? undefined : factoryFor(world, plan),
    factoryData:
      made === undefined
        ? '0x'
        : factoryProgram(made.salt, actions(plan.inFactory), actions(plan.inDeployment)),
    callData: plan.execution === undefined ? '0x' : perform(...actions(plan.execution)),
    callGasLimit: plan.execution === undefined ? 0n : 200_000n,
    verificationGasLimit: 499_999n,
    preVerificationGas: 120_000n,
    maxFeePerGas: 5_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    paymaster: payer,
    paymasterVerificationGasLimit: paid ? 300_000n : 0n,
    paymasterPostOpGasLimit: paid ? 50_000n : 0n,
    paymasterData: payer === undefined ? '0x' : paymasterProgram(actions(plan.inPaymaster), plan.contextSize),
    signature: accountProgram(actions(plan.account)),
    eip7702Auth: undefined,
    ...plan.changes,
  }
}

function existingSender(world: RuleWorld, { sender }: Plan): Promise<Address> | Address {
  if (sender === 'delegated') return world.delegated.account
  return world.newAccount({ isStaked: sender === 'staked' })
}

function factoryFor({ factory, delegated }: RuleWorld, { factory: kind = 'unstaked' }: Plan): Address {
  return kind === 'delegated' ? delegated.factory : factory[kind]
}

function paymasterFor({ paymaster, delegated }: RuleWorld, { paymaster: kind }: Plan): Address | undefined {
  if (kind === undefined) return undefined
  return kind === 'delegated' ? delegated.paymaster : paymaster[kind]
}

const ruleCase = (rule: string, name: string, plan: Plan, expected: Expected): RuleCase => ({
  ...{ rule, name, expected },
  build: (world) => buildOperation(world, plan),
})

/** -32502 */
const breaks = (rule: string, entity: EntityKind, name: string, plan: Plan, opcodeName?: string): RuleCase =>
  ruleCase(rule, name, plan, {
    ...{ code: -32502, rule, entity },
    ...(opcodeName === undefined ? {} : { opcode: opcodeName }),
  })
/** -32505: who has to be staked, and is not. `broken` where the finding's rule is not the one that stake lifts. */
const wantsStake = (
  rule: string,
  entity: EntityKind,
  name: string,
  plan: Plan,
  broken: string = rule,
): RuleCase => ruleCase(rule, name, plan, { code: -32505, rule: broken, entity })
const accepted = (rule: string, name: string, plan: Plan): RuleCase => ruleCase(rule, name, plan, 'accepted')

/** ERC-7562: a slot that is nobody's */
const strangeSlot = 5n
const emptyAddress: Address = '0x00000000000000000000000000000000DeaDBeef'
const systemContract: Address = '0x0000000000000000000000000000000000000064'
const identity: Address = '0x0000000000000000000000000000000000000004'
const modexp: Address = '0x0000000000000000000000000000000000000005'
const blake2f: Address = '0x0000000000000000000000000000000000000009'

const environment = [
  ...['ORIGIN', 'GASPRICE', 'BLOCKHASH', 'COINBASE', 'TIMESTAMP', 'NUMBER', 'PREVRANDAO', 'GASLIMIT'],
  ...['BASEFEE', 'BLOBHASH', 'BLOBBASEFEE'],
] as Parameters<typeof opcode>[0][]

const opcodeCases: readonly RuleCase[] = [
  ...environment.map((name) =>
    breaks('OP-011', 'account', `${name} in the account`, { account: () => [opcode(name)] }, name),
  ),
  breaks(
    'OP-011',
    'account',
    'INVALID in what the account calls',
    {
      account: ({ utility }) => [call(utility, { data: perform(opcode('INVALID')), gasLimit: 20_000n })],
    },
    'INVALID',
  ),
  breaks(
    'OP-011',
    'account',
    'SELFDESTRUCT in what the account calls',
    { account: ({ utility }) => [call(utility, { data: perform(opcode('SELFDESTRUCT')) })] },
    'SELFDESTRUCT',
  ),
  breaks(
    'OP-011',
    'account',
    'TIMESTAMP by DELEGATECALL',
    { account: ({ utility }) => [delegatecall(utility, perform(opcode('TIMESTAMP')))] },
    'TIMESTAMP',
  ),
  breaks(
    'OP-011',
    'paymaster',
    'TIMESTAMP in a staked paymaster',
    { paymaster: 'staked', inPaymaster: () => [opcode('TIMESTAMP')] },
    'TIMESTAMP',
  ),
  breaks(
    'OP-011',
    'factory',
    'NUMBER in a staked factory',
    { sender: 'new', factory: 'staked', inFactory: () => [opcode('NUMBER')] },
    'NUMBER',
  ),
  breaks(
    'OP-011',
    'factory',
    'NUMBER in the account while it is deployed',
    { sender: 'new', inDeployment: () => [opcode('NUMBER')] },
    'NUMBER',
  ),
  accepted('OP-011', 'all of them in the execution', { execution: () => environment.map(opcode) }),
  breaks('OP-012', 'account', 'GAS that is kept', { account: () => [opcode('GAS')] }, 'GAS'),
  accepted('OP-012', 'GAS right before a call', { account: ({ idle }) => [staticcall(idle)] }),
  breaks(
    'OP-013',
    'account',
    'an unassigned opcode in what the account calls',
    { account: ({ unassigned }) => [staticcall(unassigned, { gasLimit: 5_000n })] },
    '0x0c',
  ),
  accepted('OP-013', 'STOP instead of it', {
    account: ({ idle }) => [staticcall(idle, { gasLimit: 5_000n })],
  }),
  breaks('OP-020', 'account', 'what it calls runs out of gas', {
    account: ({ endless }) => [staticcall(endless, { gasLimit: 5_000n })],
  }),
  breaks('OP-020', 'paymaster', 'what the paymaster calls runs out of gas', {
    paymaster: 'staked',
    inPaymaster: ({ endless }) => [staticcall(endless, { gasLimit: 5_000n })],
  }),
  breaks('OP-020', 'account', 'the EntryPoint runs out of the gas that it is called with', {
    account: ({ entryPoint }) => [call(entryPoint, { gasLimit: 1_000n })],
  }),
  accepted('OP-020', 'the EntryPoint is called with gas enough', {
    account: ({ entryPoint }) => [call(entryPoint, { gasLimit: 40_000n })],
  }),
  breaks('OP-020', 'account', 'a precompile runs out of gas', {
    account: () => [staticcall(modexp, { gasLimit: 100n })],
  }),
  accepted('OP-020', 'a precompile fails, which takes all of its gas', {
    account: () => [staticcall(blake2f, { data: '0x00', gasLimit: 5_000n })],
  }),
  accepted('OP-020', 'what it calls reverts', {
    account: ({ utility }) => [call(utility, { data: '0x00000000' })],
  }),
  wantsStake('OP-080', 'account', 'BALANCE in the account', { account: () => [opcode('BALANCE')] }),
  wantsStake('OP-080', 'paymaster', 'SELFBALANCE in the paymaster', {
    paymaster: 'unstaked',
    inPaymaster: () => [opcode('SELFBALANCE')],
  }),
  accepted('OP-080', 'BALANCE in a staked account', {
    sender: 'staked',
    account: () => [opcode('BALANCE')],
  }),
  accepted('OP-080', 'SELFBALANCE in a staked paymaster', {
    paymaster: 'staked',
    inPaymaster: () => [opcode('SELFBALANCE')],
  }),
]

const creationCases: readonly RuleCase[] = [
  accepted('OP-031', 'CREATE2 of the sender', { sender: 'new' }),
  wantsStake('OP-031', 'factory', 'another CREATE2 in the factory', {
    sender: 'new',
    inFactory: () => [create2()],
  }),
  breaks('OP-031', 'account', 'CREATE2 in an account', { account: () => [create2()] }, 'CREATE2'),
  breaks('OP-031', 'paymaster', 'CREATE2 in a paymaster', {
    paymaster: 'staked',
    inPaymaster: () => [create2()],
  }),
  breaks('OP-011', 'account', 'CREATE in an account', { account: () => [create()] }, 'CREATE'),
  accepted('OP-032', 'CREATE in an account that is new', { sender: 'new', account: () => [create()] }),
  accepted('OP-032', 'CREATE in an account that is being deployed', {
    sender: 'new',
    inDeployment: () => [create()],
  }),
  ruleCase(
    'OP-032',
    'CREATE in what a new account calls',
    { sender: 'new', account: ({ utility }) => [call(utility, { data: perform(create()) })] },
    { code: -32502, rule: 'OP-011', entity: 'account', opcode: 'CREATE' },
  ),
  accepted('EREP-060', 'CREATE and CREATE2 in a staked factory', {
    sender: 'new',
    factory: 'staked',
    inFactory: () => [create(), create2()],
  }),
  accepted('EREP-060', 'CREATE2 in the account of a staked factory', {
    sender: 'new',
    factory: 'staked',
    account: () => [create2()],
  }),
  wantsStake(
    'EREP-060',
    'factory',
    'CREATE2 in the account of an unstaked factory',
    { sender: 'new', account: () => [create2()] },
    'OP-031',
  ),
  wantsStake(
    'EREP-060',
    'factory',
    'CREATE in an unstaked factory',
    { sender: 'new', inFactory: () => [create()] },
    'OP-011',
  ),
  accepted('EREP-061', 'CREATE in what a staked factory calls', {
    sender: 'new',
    factory: 'staked',
    inFactory: ({ utility }) => [call(utility, { data: perform(create()) })],
  }),
  wantsStake(
    'EREP-061',
    'factory',
    'CREATE in what an unstaked factory calls',
    { sender: 'new', inFactory: ({ utility }) => [call(utility, { data: perform(create()) })] },
    'OP-011',
  ),
  ruleCase(
    'EREP-061',
    'CREATE2 in what a staked factory calls',
    {
      ...{ sender: 'new', factory: 'staked' },
      inFactory: ({ utility }) => [call(utility, { data: perform(create2()) })],
    },
    { code: -32502, rule: 'OP-031', entity: 'factory', opcode: 'CREATE2' },
  ),
]

const accessCases: readonly RuleCase[] = [
  ...(
    [
      ['CALL', () => [call(emptyAddress)]],
      ['STATICCALL', () => [staticcall(emptyAddress)]],
      ['DELEGATECALL', () => [delegatecall(emptyAddress)]],
      ['CALLCODE', () => [callcode(emptyAddress)]],
      ['EXTCODESIZE', () => [lookAt('codeSize', emptyAddress)]],
      ['EXTCODEHASH', () => [lookAt('codeHash', emptyAddress)]],
      ['EXTCODECOPY', () => [lookAt('codeCopy', emptyAddress)]],
    ] as [string, Script][]
  ).map(([name, account]) =>
    breaks('OP-041', 'account', `${name} of an address without code`, { account }, name),
  ),
  breaks(
    'OP-041',
    'account',
    'EXTCODEHASH of a precompile, which tells whether it has coins',
    { account: () => [lookAt('codeHash', identity)] },
    'EXTCODEHASH',
  ),
  breaks('OP-041', 'account', 'the same of one that was called before', {
    account: () => [staticcall(identity), lookAt('codeHash', identity)],
  }),
  accepted('OP-041', 'all of them of a contract', {
    account: ({ idle }) => [
      ...[call(idle), staticcall(idle), delegatecall(idle), callcode(idle)],
      ...[lookAt('codeSize', idle), lookAt('codeHash', idle), lookAt('codeCopy', idle)],
    ],
  }),
  accepted('OP-042', 'the factory looks at the sender before it is there', {
    sender: 'new',
    inFactory: (_, sender) => [lookAt('codeSize', sender), staticcall(sender)],
  }),
  ruleCase(
    'OP-042',
    'the factory looks at another that is not there',
    { sender: 'new', inFactory: () => [lookAt('codeSize', emptyAddress)] },
    { code: -32502, rule: 'OP-041', entity: 'factory', opcode: 'EXTCODESIZE' },
  ),
  breaks('OP-061', 'account', 'value to a contract', {
    account: ({ utility }) => [call(utility, { value: 1n })],
  }),
  breaks('OP-061', 'account', 'value by CALLCODE', {
    account: ({ utility }) => [callcode(utility, { value: 1n })],
  }),
  accepted('OP-061', 'a call without value', { account: ({ utility }) => [call(utility)] }),
  accepted('OP-062', 'precompiles that compute', {
    account: () => [staticcall(identity), staticcall(modexp)],
  }),
  breaks('OP-062', 'account', 'a precompile of the chain’s own', {
    account: () => [staticcall(systemContract)],
  }),
]

const entryPointCases: readonly RuleCase[] = [
  accepted('OP-051', 'EXTCODESIZE ISZERO', {
    ...{ paymaster: 'unstaked', inPaymaster: ({ entryPoint }) => [lookAt('codeSizeIsZero', entryPoint)] },
    account: ({ entryPoint }) => [lookAt('codeSizeIsZero', entryPoint)],
  }),
  ruleCase(
    'OP-051',
    'EXTCODESIZE that is kept',
    { account: ({ entryPoint }) => [lookAt('codeSize', entryPoint)] },
    { code: -32502, rule: 'OP-054', entity: 'account', opcode: 'EXTCODESIZE' },
  ),
  accepted('OP-052', 'the account deposits for itself', {
    account: ({ entryPoint }, sender) => [call(entryPoint, { value: 1n, data: depositTo(sender) })],
  }),
  accepted('OP-052', 'the factory deposits for the account', {
    sender: 'new',
    inFactory: ({ entryPoint }, sender) => [call(entryPoint, { data: depositTo(sender) })],
  }),
  ruleCase(
    'OP-052',
    'the account deposits for another',
    { account: ({ entryPoint, utility }) => [call(entryPoint, { data: depositTo(utility) })] },
    { code: -32502, rule: 'OP-054', entity: 'account', opcode: 'CALL' },
  ),
  ruleCase(
    'OP-052',
    'the paymaster deposits for the account',
    {
      paymaster: 'staked',
      inPaymaster: ({ entryPoint }, sender) => [call(entryPoint, { data: depositTo(sender) })],
    },
    { code: -32502, rule: 'OP-054', entity: 'paymaster', opcode: 'CALL' },
  ),
  accepted('OP-053', 'value from the account', {
    account: ({ entryPoint }) => [call(entryPoint, { value: 1n })],
  }),
  ruleCase(
    'OP-053',
    'the fallback called by another for the account',
    { account: ({ entryPoint, utility }) => [call(utility, { data: perform(call(entryPoint)) })] },
    { code: -32502, rule: 'OP-054', entity: 'account', opcode: 'CALL' },
  ),
  breaks(
    'OP-054',
    'account',
    'balanceOf',
    { account: ({ entryPoint }, sender) => [staticcall(entryPoint, { data: balanceOf(sender) })] },
    'STATICCALL',
  ),
  breaks(
    'OP-054',
    'paymaster',
    'balanceOf by a staked paymaster',
    {
      paymaster: 'staked',
      inPaymaster: ({ entryPoint, paymaster }) => [
        staticcall(entryPoint, { data: balanceOf(paymaster.staked) }),
      ],
    },
    'STATICCALL',
  ),
  breaks(
    'OP-054',
    'account',
    'EXTCODEHASH',
    { account: ({ entryPoint }) => [lookAt('codeHash', entryPoint)] },
    'EXTCODEHASH',
  ),
  accepted('OP-054', 'balanceOf in the execution', {
    execution: ({ entryPoint }, sender) => [staticcall(entryPoint, { data: balanceOf(sender) })],
  }),
]

const storageCases: readonly RuleCase[] = [
  accepted('STO-010', 'the account’s own', { account: () => [touch('load', 1n), touch('store', 2n)] }),
  accepted('STO-010', 'the account’s own, by the paymaster', {
    paymaster: 'unstaked',
    inPaymaster: (_, sender) => [call(sender, { data: perform(touch('store', 3n)) })],
  }),
  accepted('STO-010', 'the account’s own, while it is deployed', {
    sender: 'new',
    inDeployment: () => [touch('store', 2n)],
  }),
  accepted('STO-021', 'the account’s elsewhere, up to 128 behind its hash', {
    account: ({ registry }, sender) => [
      call(registry, { data: slotOf('writeOf', sender) }),
      call(registry, { data: slotOf('writeOf', sender, 128n) }),
    ],
  }),
  accepted('STO-021', 'the slot with the account’s own address', {
    account: ({ registry }, sender) => [call(registry, { data: anySlot('write', BigInt(sender)) })],
  }),
  accepted('STO-021', 'the account’s elsewhere, by the paymaster', {
    paymaster: 'unstaked',
    inPaymaster: ({ registry }, sender) => [call(registry, { data: slotOf('writeOf', sender) })],
  }),
  ruleCase(
    'STO-021',
    '129 behind its hash',
    { account: ({ registry }, sender) => [call(registry, { data: slotOf('writeOf', sender, 129n) })] },
    { code: -32502, rule: 'STO-033', entity: 'account' },
  ),
  ruleCase(
    'STO-021',
    'what belongs to another account',
    {
      account: ({ registry, delegated }) => [call(registry, { data: slotOf('writeOf', delegated.account) })],
    },
    { code: -32502, rule: 'STO-033', entity: 'account' },
  ),
  wantsStake('STO-022', 'factory', 'the account’s elsewhere, before it exists', {
    sender: 'new',
    account: ({ registry }, sender) => [call(registry, { data: slotOf('writeOf', sender) })],
  }),
  accepted('STO-022', 'the same with a staked factory', {
    ...{ sender: 'new', factory: 'staked' },
    account: ({ registry }, sender) => [call(registry, { data: slotOf('writeOf', sender) })],
  }),
  wantsStake('STO-031', 'paymaster', 'the paymaster’s own', {
    paymaster: 'unstaked',
    inPaymaster: () => [touch('load', 1n)],
  }),
  wantsStake('STO-031', 'factory', 'the factory’s own', {
    sender: 'new',
    inFactory: () => [touch('store', 1n)],
  }),
  accepted('STO-031', 'a staked paymaster’s own', {
    paymaster: 'staked',
    inPaymaster: () => [touch('load', 1n), touch('store', 1n)],
  }),
  accepted('STO-031', 'a staked factory’s own', {
    ...{ sender: 'new', factory: 'staked' },
    inFactory: () => [touch('store', 1n)],
  }),
  breaks('STO-031', 'account', 'the paymaster’s, by a staked account', {
    ...{ sender: 'staked', paymaster: 'staked' },
    account: ({ paymaster }) => [call(paymaster.staked, { data: perform(touch('load', 1n)) })],
  }),
  wantsStake('STO-032', 'paymaster', 'the paymaster’s elsewhere', {
    paymaster: 'unstaked',
    inPaymaster: ({ registry, paymaster }) => [
      call(registry, { data: slotOf('writeOf', paymaster.unstaked) }),
    ],
  }),
  accepted('STO-032', 'a staked paymaster’s elsewhere', {
    paymaster: 'staked',
    inPaymaster: ({ registry, paymaster }) => [call(registry, { data: slotOf('writeOf', paymaster.staked) })],
  }),
  wantsStake('STO-033', 'account', 'an account reads anything', {
    account: ({ registry }) => [staticcall(registry, { data: anySlot('read', strangeSlot) })],
  }),
  wantsStake('STO-033', 'paymaster', 'a paymaster reads anything', {
    paymaster: 'unstaked',
    inPaymaster: ({ registry }) => [staticcall(registry, { data: anySlot('read', strangeSlot) })],
  }),
  accepted('STO-033', 'a staked account reads anything', {
    sender: 'staked',
    account: ({ registry }) => [staticcall(registry, { data: anySlot('read', strangeSlot) })],
  }),
  accepted('STO-033', 'a staked paymaster reads anything', {
    paymaster: 'staked',
    inPaymaster: ({ registry }) => [staticcall(registry, { data: anySlot('read', strangeSlot) })],
  }),
  breaks('STO-033', 'paymaster', 'a staked paymaster writes anything', {
    paymaster: 'staked',
    inPaymaster: ({ registry }) => [call(registry, { data: anySlot('write', strangeSlot) })],
  }),
  accepted('OP-070', 'transient storage of the account’s own', {
    account: () => [touch('transientStore', 1n), touch('transientLoad', 1n)],
  }),
  accepted('OP-070', 'transient storage of the account elsewhere', {
    account: ({ registry }, sender) => [call(registry, { data: slotOf('writeTransientOf', sender) })],
  }),
  wantsStake(
    'OP-070',
    'paymaster',
    'transient storage of the paymaster’s own',
    { paymaster: 'unstaked', inPaymaster: () => [touch('transientLoad', 1n)] },
    'STO-031',
  ),
  ruleCase(
    'OP-070',
    'transient storage of others',
    { account: ({ registry }) => [call(registry, { data: anySlot('writeTransient', strangeSlot) })] },
    { code: -32502, rule: 'STO-033', entity: 'account' },
  ),
]

const delegationCases: readonly RuleCase[] = [
  breaks('AUTH-020', 'paymaster', 'a paymaster that is an EIP-7702 account', { paymaster: 'delegated' }),
  breaks('AUTH-020', 'factory', 'a factory that is an EIP-7702 account', {
    ...{ sender: 'new', factory: 'delegated' },
  }),
  accepted('AUTH-020', 'a sender that is one', { sender: 'delegated' }),
  breaks(
    'AUTH-030',
    'account',
    'an EIP-7702 account that is called',
    { account: ({ delegated }) => [staticcall(delegated.paymaster)] },
    'STATICCALL',
  ),
  breaks(
    'AUTH-030',
    'account',
    'an EIP-7702 account that is looked at',
    { account: ({ delegated }) => [lookAt('codeHash', delegated.paymaster)] },
    'EXTCODEHASH',
  ),
  accepted('AUTH-030', 'the sender is one, and is called by the paymaster', {
    ...{ sender: 'delegated', paymaster: 'unstaked' },
    inPaymaster: (_, sender) => [call(sender), lookAt('codeHash', sender)],
    changes: { nonce: 1n << 64n },
  }),
]

/** EntryPoint 0.8 lets an EIP-7702 account initialize itself in the place of a factory (ERC-4337). */
const initialized = (nonceKey: bigint, ...actions: readonly Action[]): Plan => ({
  sender: 'delegated',
  changes: { nonce: nonceKey << 64n, factory: eip7702Factory, factoryData: perform(...actions) },
})
const initializationCases: readonly RuleCase[] = [
  breaks(
    'OP-011',
    'account',
    'TIMESTAMP while an EIP-7702 account is initialized',
    initialized(2n, opcode('TIMESTAMP')),
    'TIMESTAMP',
  ),
  accepted(
    'STO-010',
    'the account’s own, while an EIP-7702 account is initialized',
    initialized(3n, touch('store', 4n)),
  ),
].map((ruleCase) => ({ ...ruleCase, versions: ['0.8'] }))

const limitCases: readonly RuleCase[] = [
  wantsStake('EREP-050', 'paymaster', 'a context', { paymaster: 'unstaked', contextSize: 32 }),
  accepted('EREP-050', 'a context of a staked paymaster', { paymaster: 'staked', contextSize: 32 }),
  accepted('EREP-050', 'no context', { paymaster: 'unstaked' }),
  breaks('LIM-020', 'paymaster', 'a context of 2049 bytes', { paymaster: 'staked', contextSize: 2049 }),
  accepted('LIM-020', 'a context of 2048 bytes', { paymaster: 'staked', contextSize: 2048 }),
  wantsStake('LIM-060', 'account', 'a verificationGasLimit of 500000', {
    changes: { verificationGasLimit: 500_000n },
  }),
  accepted('LIM-060', 'a verificationGasLimit of 499999', {
    changes: { verificationGasLimit: 499_999n },
  }),
  accepted('LIM-060', 'a verificationGasLimit of 600000 with a staked account', {
    ...{ sender: 'staked', changes: { verificationGasLimit: 600_000n } },
  }),
]

/** gas (VALIDATION_GAS_SLACK) */
const slack = 4_000

/** With a limit so much above what is used. */
const tight =
  (limit: 'account' | 'paymaster', above: number): RuleCase['build'] =>
  async (world) => {
    const op = await buildOperation(world, limit === 'account' ? {} : { paymaster: 'unstaked' })
    const { gas } = (await simulated(world.chain, op)).facts
    const used = BigInt((limit === 'account' ? gas.verification : gas.paymasterVerification) ?? 0)
    const field = limit === 'account' ? 'verificationGasLimit' : 'paymasterVerificationGasLimit'
    return { ...op, [field]: used + BigInt(above) }
  }

const slackCases: readonly RuleCase[] = (['account', 'paymaster'] as const).flatMap((entity) => {
  const common = { rule: 'LIM-030', ...(entity === 'paymaster' ? { versions: ['0.7', '0.8'] as const } : {}) }
  return [
    {
      ...{ ...common, name: `the ${entity} has 3999 gas more than it uses`, build: tight(entity, slack - 1) },
      expected: { code: -32602, rule: 'LIM-030', entity },
    },
    {
      ...{ ...common, name: `the ${entity} has 4000 gas more than it uses`, build: tight(entity, slack) },
      expected: 'accepted',
    },
  ]
})

/** Every rule that the validation of one operation can show, broken and just not broken. */
export const ruleSuite: readonly RuleCase[] = [
  ...opcodeCases,
  ...creationCases,
  ...accessCases,
  ...entryPointCases,
  ...storageCases,
  ...delegationCases,
  ...initializationCases,
  ...limitCases,
  ...slackCases,
]
