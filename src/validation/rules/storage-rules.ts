import { type Association, associationIn } from './associated.ts'
import type { PhaseFacts, StorageUse } from './facts.ts'
import { addressOf, type Finding, hasStake, nameOf, type Scene, slotOf, whoIs } from './finding.ts'

/**
 * STO-022, STO-031, STO-032 and STO-033, with what STO-010 and STO-021 allow. Transient storage is storage like any
 * other (OP-070).
 */
export function checkStorage(phase: PhaseFacts, { facts, options }: Scene): readonly Finding[] {
  const association = associationIn(facts.hashed)
  return phase.storage.flatMap((use) => {
    const breach = breachOf(use, { phase, facts, options, association })
    if (breach === undefined) return []
    const { contract, slot } = use
    const place =
      contract === phase.address ? 'its own storage' : `storage of ${nameOf(contract, facts.parties)}`
    return [
      {
        ...{ entity: phase.entity, address: addressOf(phase.address), rule: breach.rule },
        did: `${verbOf(use)} slot ${slotOf(slot)} of ${place}`,
        ...{ slot: slotOf(slot), contract: addressOf(contract), hint: breach.hint },
        liftedBy: breach.lifter === undefined ? undefined : whoIs(breach.lifter, facts),
      },
    ]
  })
}

type Asked = Scene & { phase: PhaseFacts; association: Association }

/** `lifter`: whose stake would make it allowed. */
type Breach = {
  rule: Extract<Finding['rule'], `STO-${string}`>
  lifter: PhaseFacts['entity'] | undefined
  hint: string
}

function breachOf(use: StorageUse, asked: Asked): Breach | undefined {
  const { account, factory, paymaster } = asked.facts.parties
  switch (use.contract) {
    case account:
      return undefined
    case factory:
    case paymaster:
      return breachInEntity(use, asked)
    default:
      return breachElsewhere(use, asked)
  }
}

function breachInEntity({ contract }: StorageUse, { phase, options }: Asked): Breach | undefined {
  const { entity } = phase
  if (contract !== phase.address) {
    return { rule: 'STO-031', lifter: undefined, hint: 'the storage of an entity is for that entity alone' }
  }
  if (hasStake(entity, options)) return undefined
  return { rule: 'STO-031', lifter: entity, hint: `stake the ${entity}: its own storage is for staked ones` }
}

function breachElsewhere(
  { slot, isWritten }: StorageUse,
  { phase, facts, options, association }: Asked,
): Breach | undefined {
  const { parties } = facts
  const { entity } = phase
  const isAccounts = association(parties.account, slot)
  if (isAccounts && (parties.factory === undefined || hasStake('factory', options))) return undefined
  const isOwn = entity !== 'account' && association(phase.address, slot)
  if (hasStake(entity, options) && (isOwn || !isWritten)) return undefined
  if (isAccounts) {
    const hint = 'before the account exists, its slots elsewhere are open only with a staked factory'
    return { rule: 'STO-022', lifter: 'factory', hint }
  }
  if (isOwn) {
    const hint = `stake the ${entity}: slots associated with it are for staked ones`
    return { rule: 'STO-032', lifter: entity, hint }
  }
  if (isWritten) {
    const hint = 'it may write what is associated with the account, or with itself when it is staked'
    return { rule: 'STO-033', lifter: undefined, hint }
  }
  const hint = `only a staked ${entity} may read what is not associated with the account`
  return { rule: 'STO-033', lifter: entity, hint }
}

function verbOf({ isRead, isWritten, isTransient }: StorageUse): string {
  const verb = isWritten ? (isRead ? 'read and wrote' : 'wrote') : 'read'
  return isTransient ? `${verb} transient` : verb
}
