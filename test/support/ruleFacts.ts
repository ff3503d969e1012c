import { parseEther } from 'viem'
import type { StakeInfo } from '../../src/types/entity.ts'
import type { EntryPointUse, OperationFacts, Parties, PhaseFacts } from '../../src/validation/rules/facts.ts'
import type { Finding, RuleOptions } from '../../src/validation/rules/finding.ts'

/** Addresses of the parties in made-up facts. */
export const parties = {
  entryPoint: 0xe0_0000n,
  account: 0xa0_0000n,
  factory: undefined,
  paymaster: undefined,
} satisfies Parties
export const factory = 0xf0_0000n
export const paymaster = 0xb0_0000n
export const stranger = 0xc0_0000n

/** What an account does in a validation that breaks nothing. */
export function phase(overrides: Partial<PhaseFacts> = {}): PhaseFacts {
  return {
    entity: 'account',
    address: parties.account,
    opcodes: [],
    unassigned: [],
    exhausted: [],
    creations: [],
    uses: [],
    entryPointUses: [],
    valueCalls: [],
    storage: [],
    gasUsed: 20_000,
    ...overrides,
  }
}

/** An operation of an account alone that breaks nothing. */
export function operationFacts(overrides: Partial<OperationFacts> = {}): OperationFacts {
  return {
    parties,
    phases: [phase()],
    hashed: [],
    codes: [],
    contextSize: 0,
    gas: { verification: 40_000, paymasterVerification: undefined },
    ...overrides,
  }
}

export const inFactory = (overrides: Partial<PhaseFacts>): PhaseFacts =>
  phase({ entity: 'factory', address: factory, ...overrides })
export const inPaymaster = (overrides: Partial<PhaseFacts>): PhaseFacts =>
  phase({ entity: 'paymaster', address: paymaster, ...overrides })

/** Facts of an operation with both helpers. */
export const helped = (...phases: PhaseFacts[]): OperationFacts =>
  operationFacts({ parties: { ...parties, factory, paymaster }, phases })

/** A call to the EntryPoint by the account. */
export function entryPointCall(overrides: Partial<EntryPointUse> = {}): EntryPointUse {
  return {
    opcode: 0xf1,
    by: parties.account,
    isZeroCheck: false,
    inputSize: 36,
    selector: 0xb760faf9,
    argument: parties.account,
    ...overrides,
  }
}

const enough: StakeInfo = { stake: parseEther('1'), unstakeDelaySec: 86_400 }

/** Nobody is staked but those named. */
export function ruleOptions(...staked: (keyof RuleOptions['stakes'])[]): RuleOptions {
  const stakeOf = (entity: keyof RuleOptions['stakes']) => (staked.includes(entity) ? enough : undefined)
  return {
    stakes: { account: stakeOf('account'), factory: stakeOf('factory'), paymaster: stakeOf('paymaster') },
    required: { minStake: parseEther('1'), minUnstakeDelay: 86_400 },
    precompiles: new Set([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 0x64n, 0x100n]),
  }
}

/** Findings in short: which rule, whose, and whose stake would do. */
export const inShort = (findings: readonly Finding[]): string[] =>
  findings.map(({ rule, entity, liftedBy }) =>
    liftedBy === undefined ? `${rule} ${entity}` : `${rule} ${entity}, unless ${liftedBy.entity} is staked`,
  )
