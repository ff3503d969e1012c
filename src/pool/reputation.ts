import type { Address } from 'viem'
import type { ReputationStatus, ReputationView } from '../types/ports/pool.ts'
import { type AddressId, idOf, type Participant } from './participant.ts'
import type { PoolSettings } from './settings.ts'

/** ERC-7562: once an hour both counts lose a 24th. */
const decayInterval = 3_600_000
const decayed = (count: number): number => Math.floor((count * 23) / 24)
/** ERC-7562, SAME_UNSTAKED_ENTITY_MEMPOOL_COUNT */
const newcomerAllowance = 10
/** ERC-7562, MAX_OPS_ALLOWED_UNSTAKED_ENTITY */
const mostForInclusions = 10_000
/** ERC-7562, BAN_OPS_SEEN_PENALTY */
const banPenalty = 10_000

type Counts = {
  address: Address
  opsSeen: number
  opsIncluded: number
  /** GREP-040 or EREP-070 set them: what it has in the mempool is no excuse any more. */
  isPenalty: boolean
}

export type ReputationSettings = Pick<
  PoolSettings,
  'minInclusionDenominator' | 'throttlingSlack' | 'banSlack' | 'whitelistedEntities'
>

/**
 * What the entities of an EntryPoint are worth by their record (ERC-7562, reputation). Counts are the ERC's: seen when
 * an operation enters the mempool, included by its event. Who is `ok` may have any number in the mempool (SREP-040), so
 * operations whose fate is still open do not speak against anybody: a status is made of the others. A burst of good
 * operations never throttles its paymaster; operations that fail, expire or are given up do, as the ERC has it.
 */
export type Reputation = {
  status(participant: Participant): ReputationStatus
  /** The operator vouches for it: neither reputation nor stake limits it. */
  isWhitelisted(participant: Participant): boolean
  /** UREP-020: operations that an unstaked entity may have in the pool at once. */
  allowance(participant: Participant): number
  /** Adds to its counts, which never fall below 0. */
  count(participant: Participant, change: { seen?: number; included?: number }): void
  /** EREP-070: as if so much of what was seen of it had never been included that it is throttled. */
  throttle(participant: Participant): void
  /** GREP-040: it made a bundle fail that passed validation before. */
  punish(participant: Participant): void
  /** Applies every full hour that passed since it was first called. `now` in ms since 1970. */
  decay(now: number): void
  /** Those whose status is not ok, or would not be if all that is open failed. */
  suspects(): Iterable<AddressId>
  views(): readonly ReputationView[]
  set(entries: readonly Omit<ReputationView, 'status'>[]): void
  clear(): void
}

/** @param open operations of an address that are in the mempool, with a fair chance still */
export function createReputation(settings: ReputationSettings, open: (id: AddressId) => number): Reputation {
  const counts = new Map<AddressId, Counts>()
  const suspects = new Set<AddressId>()
  const { paymaster, account, factory } = settings.whitelistedEntities
  const whitelists = {
    paymaster: new Set(paymaster.map(idOf)),
    account: new Set(account.map(idOf)),
    factory: new Set(factory.map(idOf)),
  }
  const whitelisted = new Set([...paymaster, ...account, ...factory].map(idOf))
  let decayedAt: number | undefined

  return {
    isWhitelisted,
    status: (participant) => (isWhitelisted(participant) ? 'ok' : recordOf(participant.id)),

    allowance({ id }) {
      const { opsSeen, opsIncluded } = counts.get(id) ?? { opsSeen: 0, opsIncluded: 0 }
      const inclusionRate = opsSeen === 0 ? 0 : opsIncluded / opsSeen
      return newcomerAllowance + Math.floor(inclusionRate * Math.min(opsIncluded, mostForInclusions))
    },

    count({ id, address }, { seen = 0, included = 0 }) {
      const known = counts.get(id) ?? { address, opsSeen: 0, opsIncluded: 0, isPenalty: false }
      store({
        ...known,
        opsSeen: Math.max(0, known.opsSeen + seen),
        opsIncluded: Math.max(0, known.opsIncluded + included),
      })
    },

    throttle({ id, address }) {
      const opsIncluded = counts.get(id)?.opsIncluded ?? 0
      const opsSeen = (opsIncluded + settings.throttlingSlack + 1) * settings.minInclusionDenominator
      if ((counts.get(id)?.opsSeen ?? 0) < opsSeen) store({ address, opsSeen, opsIncluded, isPenalty: true })
    },

    punish: ({ address }) => store({ address, opsSeen: banPenalty, opsIncluded: 0, isPenalty: true }),

    decay(now) {
      decayedAt ??= now
      const hours = Math.floor((now - decayedAt) / decayInterval)
      decayedAt += hours * decayInterval
      for (let hour = 0; hour < hours && counts.size > 0; hour++) {
        for (const entry of [...counts.values()]) {
          store({ ...entry, opsSeen: decayed(entry.opsSeen), opsIncluded: decayed(entry.opsIncluded) })
        }
      }
    },

    suspects: () => suspects,

    views() {
      return [...counts].map(([id, { address, opsSeen, opsIncluded }]) => ({
        ...{ address, opsSeen, opsIncluded },
        status: whitelisted.has(id) ? 'ok' : recordOf(id),
      }))
    },

    set(entries) {
      for (const { address, opsSeen, opsIncluded } of entries) {
        store({ address, opsSeen, opsIncluded, isPenalty: false })
      }
    },

    clear() {
      counts.clear()
      suspects.clear()
    },
  }

  function isWhitelisted({ kind, id }: Participant): boolean {
    return whitelists[kind].has(id)
  }

  function recordOf(id: AddressId): ReputationStatus {
    const entry = counts.get(id)
    if (entry === undefined) return 'ok'
    const excused = entry.isPenalty ? 0 : open(id)
    return statusOf(settings, { ...entry, opsSeen: Math.max(0, entry.opsSeen - excused) })
  }

  /** An entity whose counts are gone is forgotten. */
  function store(entry: Counts): void {
    const id = idOf(entry.address)
    if (entry.opsSeen === 0 && entry.opsIncluded === 0) counts.delete(id)
    else counts.set(id, entry)
    if (whitelisted.has(id) || statusOf(settings, entry) === 'ok') suspects.delete(id)
    else suspects.add(id)
  }
}

/** ERC-7562, reputation calculation. */
function statusOf(
  settings: Omit<ReputationSettings, 'whitelistedEntities'>,
  { opsSeen, opsIncluded }: Pick<Counts, 'opsSeen' | 'opsIncluded'>,
): ReputationStatus {
  const expected = Math.floor(opsSeen / settings.minInclusionDenominator)
  if (expected > opsIncluded + settings.banSlack) return 'banned'
  return expected > opsIncluded + settings.throttlingSlack ? 'throttled' : 'ok'
}
