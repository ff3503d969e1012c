import type { Address } from 'viem'
import type { EntityKind } from '../types/entity.ts'
import type { ReputationStatus, ReputationView } from '../types/ports/pool.ts'
import type { PoolSettings } from './settings.ts'

/** ERC-7562: once an hour the counts lose a 24th. */
const decayInterval = 3_600_000
const decay = (count: number): number => Math.floor((count * 23) / 24)
/** ERC-7562, SAME_UNSTAKED_ENTITY_MEMPOOL_COUNT */
const unstakedAllowance = 10
/** ERC-7562, UREP-020: how much a perfect inclusion rate adds, and the most that sheer numbers do. */
const inclusionRateFactor = 10
const inclusionAllowance = 10_000

type Counts = { opsSeen: number; opsIncluded: number }
const none: Counts = { opsSeen: 0, opsIncluded: 0 }

/** ERC-7562 reputation of the entities of one EntryPoint. */
export class Reputation {
  readonly #counts = new Map<Address, Counts>()
  readonly #whitelist: ReadonlySet<string>
  #decayedAt: number | undefined

  constructor(
    readonly settings: Pick<
      PoolSettings,
      'minInclusionDenominator' | 'throttlingSlack' | 'banSlack' | 'whitelistedEntities'
    >,
  ) {
    const { paymaster, account, factory } = settings.whitelistedEntities
    const keys = { paymaster, account, factory, aggregator: [] } satisfies Record<
      EntityKind,
      readonly Address[]
    >
    this.#whitelist = new Set(
      Object.entries(keys).flatMap(([kind, addresses]) => addresses.map((address) => `${kind}:${address}`)),
    )
  }

  /** The operator vouches for it: no limit applies. */
  isWhitelisted(kind: EntityKind, address: Address): boolean {
    return this.#whitelist.has(`${kind}:${address}`)
  }

  status(kind: EntityKind, address: Address): ReputationStatus {
    return this.isWhitelisted(kind, address) ? 'ok' : this.#statusOf(this.#of(address))
  }

  /** Operations of an unstaked entity that may be in the pool at once (UREP-020). */
  allowance(address: Address): number {
    const { opsSeen, opsIncluded } = this.#of(address)
    const rate = opsSeen === 0 ? 0 : opsIncluded / opsSeen
    return (
      unstakedAllowance + Math.floor(rate * inclusionRateFactor) + Math.min(opsIncluded, inclusionAllowance)
    )
  }

  seen(address: Address): void {
    this.#add(address, 1, 0)
  }

  included(address: Address): void {
    this.#add(address, 0, 1)
  }

  /** A reorg undid an inclusion. */
  excluded(address: Address): void {
    this.#add(address, 0, -1)
  }

  /** Exact for any pause: every full hour that has passed counts. */
  decay(now: number): void {
    this.#decayedAt ??= now
    const hours = Math.floor((now - this.#decayedAt) / decayInterval)
    this.#decayedAt += hours * decayInterval
    for (let hour = 0; hour < hours && this.#counts.size > 0; hour++) {
      for (const [address, { opsSeen, opsIncluded }] of this.#counts) {
        this.#store(address, { opsSeen: decay(opsSeen), opsIncluded: decay(opsIncluded) })
      }
    }
  }

  views(): ReputationView[] {
    return [...this.#counts].map(([address, counts]) => ({
      address,
      ...counts,
      status: this.#statusOf(counts),
    }))
  }

  set(entries: readonly Omit<ReputationView, 'status'>[]): void {
    for (const { address, opsSeen, opsIncluded } of entries) this.#store(address, { opsSeen, opsIncluded })
  }

  clear(): void {
    this.#counts.clear()
  }

  #of(address: Address): Counts {
    return this.#counts.get(address) ?? none
  }

  #add(address: Address, seen: number, included: number): void {
    const { opsSeen, opsIncluded } = this.#of(address)
    this.#store(address, { opsSeen: opsSeen + seen, opsIncluded: Math.max(0, opsIncluded + included) })
  }

  /** An entity without counts is forgotten. */
  #store(address: Address, counts: Counts): void {
    if (counts.opsSeen === 0 && counts.opsIncluded === 0) this.#counts.delete(address)
    else this.#counts.set(address, counts)
  }

  #statusOf({ opsSeen, opsIncluded }: Counts): ReputationStatus {
    const { minInclusionDenominator, throttlingSlack, banSlack } = this.settings
    const expected = Math.floor(opsSeen / minInclusionDenominator)
    if (expected <= opsIncluded + throttlingSlack) return 'ok'
    return expected <= opsIncluded + banSlack ? 'throttled' : 'banned'
  }
}
