import type { Word } from '../../evm/word.ts'
import type { ValidationScope } from '../../types/verdict.ts'
import { addressHex, wordHex } from '../state/hex.ts'
import type { OperationFacts, PhaseFacts } from './facts.ts'
import { addressOf, type Finding, hasStake, nameOf, type RuleOptions, whoIs } from './finding.ts'

/**
 * COD-010: code that validation relied on is not what it was. What is not met any more needs no check: what chose not
 * to call it has the same code as before, and storage of its own to choose by.
 */
export function checkCodes(
  earlier: ValidationScope,
  now: Pick<OperationFacts, 'parties' | 'phases' | 'codes'>,
): readonly Finding[] {
  const hashes = new Map(earlier.codes.map(({ address, hash }) => [address, hash] as const))
  return now.codes.flatMap(({ address, hash }): Finding[] => {
    const before = hashes.get(addressHex(address))
    if (before === undefined || before === wordHex(hash)) return []
    return [
      {
        ...{ ...culpritOf(address, now), rule: 'COD-010' },
        did: `relied on the code of ${nameOf(address, now.parties)}, which changed since`,
        contract: addressOf(address),
        hint: 'send the operation again: it was validated with other code',
        liftedBy: undefined,
      },
    ]
  })
}

/** Whose code it is, or in whose phase it was used first. */
function culpritOf(
  address: Word,
  { parties, phases }: Pick<OperationFacts, 'parties' | 'phases'>,
): Pick<Finding, 'entity' | 'address'> {
  const phase =
    phases.find((candidate) => candidate.address === address) ??
    phases.find(({ uses }) => uses.some((use) => use.address === address))
  return phase === undefined
    ? { entity: 'account', address: addressOf(parties.account) }
    : { entity: phase.entity, address: addressOf(phase.address) }
}

/** EREP-055: the paymaster's context has another size in the bundle than it had before. */
export function checkContextSize(earlier: ValidationScope, inBundle: OperationFacts): readonly Finding[] {
  const paymaster = whoIs('paymaster', inBundle)
  if (paymaster === undefined || earlier.contextSize === inBundle.contextSize) return []
  return [
    {
      ...{ ...paymaster, rule: 'EREP-055' },
      did: `returned a context of ${inBundle.contextSize} bytes after one of ${earlier.contextSize}`,
      hint: 'the size of a context may not depend on what else is in the bundle',
      liftedBy: undefined,
    },
  ]
}

/** EREP-070: 10 %, in percent of what was used before */
const leastShareOfGas = 90
/** gas that an address or a slot is cheaper by when the bundle met it before (EIP-2929) */
const warmth = { address: 2_500, slot: 2_000 }
/** gas of paying the EntryPoint what an account owes it, which an earlier operation may have left there: 33,000 at most */
const prefunding = 35_000
/** gas that writing to a slot is cheaper by when the bundle wrote to it before (EIP-2200) */
const rewriting = 20_000

/**
 * EREP-070: staked entities that use less gas in the bundle than they did before, by more than what operations before
 * theirs may have spared them.
 */
export function checkGasOfStaked(
  earlier: ValidationScope,
  inBundle: OperationFacts,
  options: RuleOptions,
): readonly Finding[] {
  return inBundle.phases.flatMap((phase, index): Finding[] => {
    const { entity, address, gasUsed } = phase
    const before = earlier.gasByPhase[index] ?? 0
    const explained = gasUsed + mostSpared(phase)
    if (!hasStake(entity, options) || explained * 100 >= before * leastShareOfGas) return []
    return [
      {
        ...{ entity, address: addressOf(address), rule: 'EREP-070' },
        did: `used ${gasUsed} gas in the bundle after ${before}`,
        hint: 'validation may not use less gas when it is bundled',
        liftedBy: undefined,
      },
    ]
  })
}

/** gas */
function mostSpared({ entity, uses, storage }: PhaseFacts): number {
  const slots = storage.reduce((sum, { isWritten }) => sum + warmth.slot + (isWritten ? rewriting : 0), 0)
  const addresses = new Set(uses.map(({ address }) => address)).size
  return slots + warmth.address * addresses + (entity === 'account' ? prefunding : 0)
}
