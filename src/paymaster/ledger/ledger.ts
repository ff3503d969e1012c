import type { Address, Hash } from 'viem'
import type { BlockRef } from '../../types/block.ts'
import type { Spent } from '../../types/paymaster/policy.ts'
import type { Claim, Sponsorship, SponsorshipKey } from '../../types/paymaster/sponsorship.ts'
import { PaymasterError } from '../paymaster-error.ts'
import type { Usage } from '../policies/enforce.ts'
import { contributionsOf, promisedBy } from './contribution.ts'
import { createTally, nothing, plus } from './tally.ts'

/**
 * Operations of one sender that are open at one tenant: a wallet sends a few at once, a stranger with a public key would
 * lock a budget. What other tenants signed does not count: theirs may be strangers' keys.
 */
export const maxOpenPerSender = 10
/** A tenant's signatures for one nonce: a wallet asks again when fees move, and each may still be the one bundled. */
export const maxClaims = 16

/** What a policy has spent for good, in a form that is stored: one row for each policy and sender. */
export type Total = { policyId: number; sender: Address; spent: Spent }

/** What must be stored for what the ledger just did. */
export type LedgerChange = {
  put: readonly Sponsorship[]
  remove: readonly SponsorshipKey[]
  /** In place of what is stored for the same policy and sender. */
  totals: readonly Total[]
}

/** A UserOperationEvent, as far as the ledger cares; `actualGasCost` in wei. */
export type Payment = Omit<SponsorshipKey, 'chainId'> & { hash: Hash; actualGasCost: bigint }

/**
 * What was promised and what was paid, by nonce (answers.md §2: reserve, settle, release). Pure state: the caller stores
 * each change, a reservation before the signature leaves.
 */
export type Ledger = {
  /**
   * What counts against the policy, but for what this nonce has reserved there: the dearer of both counts, not the sum.
   */
  usage(policyId: number, key: SponsorshipKey): Usage
  /** wei that is promised of a tenant's money at a paymaster, or (`undefined`) of everybody's, but for this nonce */
  promised(tenantId: string | undefined, key: SponsorshipKey): bigint
  /** @throws PaymasterError when the sender, or the nonce, has too many open */
  reserve(key: SponsorshipKey, claim: Claim): LedgerChange
  /**
   * Takes a reservation back that could not be stored, so that its signature never left; but not one that was made
   * anew meanwhile.
   */
  withdraw(key: SponsorshipKey, claim: Claim): void
  /** Whether there is a reservation for the operation, whose signature may have left. */
  has(key: SponsorshipKey, userOpHash: Hash): boolean
  /** What a canonical block paid, whoever bundled it. */
  settle(chainId: number, block: BlockRef, payments: readonly Payment[]): LedgerChange
  /** A reorg took the block out: its operations may still be paid, so they are reserved again. */
  unsettle(chainId: number, block: BlockRef): LedgerChange
  /**
   * No reorg reaches back beyond `block`: what was paid until then is final, what had expired by then can never be
   * paid any more.
   */
  finalize(chainId: number, block: { number: number /** s since 1970 */; timestamp: number }): LedgerChange
  /** The blocks that paid what may still be undone. */
  blocksOf(chainId: number): readonly BlockRef[]
  /** What a policy has spent and promised. */
  spent(policyId: number): Spent
}

/** The ledger with what is stored of it. */
export function createLedger(stored: {
  sponsorships: readonly Sponsorship[]
  totals: readonly Total[]
}): Ledger {
  const open = new Map<string, Sponsorship>()
  const perSender = new Map<string, number>()
  const promises = new Map<string, bigint>()
  /** Paid for good. */
  const final = createTally()
  /** The same, with what is open. */
  const tally = createTally()
  for (const { policyId, sender, spent } of stored.totals) addFinal(policyId, sender, spent)
  for (const sponsorship of stored.sponsorships) put(sponsorship)

  return {
    usage(policyId, key) {
      const mine = contributionTo(policyId, open.get(keyText(key)))
      return {
        global: plus(tally.total(policyId), mine, -1),
        user: plus(tally.ofSender(policyId, key.sender), mine, -1),
      }
    },

    promised(tenantId, key) {
      const existing = open.get(keyText(key))
      const mine = existing === undefined ? 0n : (promisedBy(existing).get(tenantId) ?? 0n)
      return (promises.get(purseText(tenantId, key)) ?? 0n) - mine
    },

    reserve(key, claim) {
      const existing = open.get(keyText(key))
      if (existing?.settled !== undefined) throw used()
      const { tenantId } = claim
      const claims = existing?.claims ?? []
      const isOpen = claims.some((other) => other.tenantId === tenantId)
      if (!isOpen && (perSender.get(senderText(tenantId, key)) ?? 0) >= maxOpenPerSender)
        throw tooMany('sender', `Sender has ${maxOpenPerSender} sponsored operations open already`)
      const others = claims.filter(({ userOpHash }) => userOpHash !== claim.userOpHash)
      if (others.filter((other) => other.tenantId === tenantId).length >= maxClaims)
        throw tooMany('nonce', `${maxClaims} signatures were given for this nonce already`)
      const sponsorship = { ...key, claims: [...others, claim], settled: undefined }
      put(sponsorship)
      return { put: [sponsorship], remove: [], totals: [] }
    },

    has: (key, userOpHash) =>
      open.get(keyText(key))?.claims.some((claim) => claim.userOpHash === userOpHash) ?? false,

    withdraw(key, claim) {
      const existing = open.get(keyText(key))
      if (existing === undefined) return
      const claims = existing.claims.filter((other) => other !== claim)
      if (claims.length === 0) remove(existing)
      else put({ ...existing, claims })
    },

    settle(chainId, block, payments) {
      return putAll(
        payments.flatMap(({ hash, actualGasCost, ...rest }) => {
          const existing = open.get(keyText({ ...rest, chainId }))
          if (existing === undefined) return []
          return [{ ...existing, settled: { userOpHash: hash, native: actualGasCost, block } }]
        }),
      )
    },

    unsettle(chainId, block) {
      const paidThere = ({ settled, ...key }: Sponsorship) =>
        key.chainId === chainId && settled?.block.hash === block.hash
      return putAll(
        [...open.values()].filter(paidThere).map((sponsorship) => ({ ...sponsorship, settled: undefined })),
      )
    },

    finalize(chainId, block) {
      // Of tens of thousands, at every head: one pass, and nothing is made for those that stay as they are.
      const over: Sponsorship[] = []
      const shorter: Sponsorship[] = []
      for (const sponsorship of open.values()) {
        if (sponsorship.chainId !== chainId) continue
        if (isOver(sponsorship, block)) over.push(sponsorship)
        else if (hasStale(sponsorship, block)) shorter.push(shortened(sponsorship, block))
      }
      const paid = over.flatMap((sponsorship) =>
        sponsorship.settled === undefined
          ? []
          : contributionsOf(sponsorship).map((own) => ({ ...own, sender: sponsorship.sender })),
      )
      for (const sponsorship of over) remove(sponsorship)
      for (const { policyId, sender, spent } of paid) addFinal(policyId, sender, spent)
      const totals = new Map(
        paid.map(({ policyId, sender }) => [
          `${policyId} ${sender}`,
          { policyId, sender, spent: final.ofSender(policyId, sender) },
        ]),
      )
      const { put } = putAll(shorter)
      return { put, remove: over.map(keyOf), totals: [...totals.values()] }
    },

    blocksOf(chainId) {
      const blocks = new Map<Hash, BlockRef>()
      for (const { settled, ...key } of open.values())
        if (key.chainId === chainId && settled !== undefined) blocks.set(settled.block.hash, settled.block)
      return [...blocks.values()]
    },

    spent: tally.total,
  }

  function addFinal(policyId: number, sender: Address, spent: Spent): void {
    final.add(policyId, sender, spent)
    tally.add(policyId, sender, spent)
  }

  function put(sponsorship: Sponsorship): void {
    const before = open.get(keyText(sponsorship))
    if (before !== undefined) count(before, -1)
    open.set(keyText(sponsorship), sponsorship)
    count(sponsorship, 1)
  }

  function putAll(changed: readonly Sponsorship[]): LedgerChange {
    for (const sponsorship of changed) put(sponsorship)
    return { put: changed, remove: [], totals: [] }
  }

  function remove(sponsorship: Sponsorship): void {
    open.delete(keyText(sponsorship))
    count(sponsorship, -1)
  }

  function count(sponsorship: Sponsorship, sign: 1 | -1): void {
    const apply = sign === 1 ? tally.add : tally.subtract
    for (const { policyId, spent } of contributionsOf(sponsorship)) apply(policyId, sponsorship.sender, spent)
    for (const [tenantId, amount] of promisedBy(sponsorship))
      raise(promises, purseText(tenantId, sponsorship), BigInt(sign) * amount)
    if (sponsorship.settled !== undefined) return
    for (const tenantId of new Set(sponsorship.claims.map((claim) => claim.tenantId))) {
      const place = senderText(tenantId, sponsorship)
      const openNow = (perSender.get(place) ?? 0) + sign
      if (openNow === 0) perSender.delete(place)
      else perSender.set(place, openNow)
    }
  }
}

type Final = { number: number; timestamp: number }

function isOver({ claims, settled }: Sponsorship, final: Final): boolean {
  if (settled !== undefined) return settled.block.number <= final.number
  return claims.every((claim) => hasExpired(claim, final))
}

/** Whether it is promised by signatures of which some can be used no more. */
const hasStale = ({ claims, settled }: Sponsorship, final: Final): boolean =>
  settled === undefined && claims.some((claim) => hasExpired(claim, final))

const shortened = (sponsorship: Sponsorship, final: Final): Sponsorship => ({
  ...sponsorship,
  claims: sponsorship.claims.filter((claim) => !hasExpired(claim, final)),
})

const hasExpired = ({ validUntil }: Claim, { timestamp }: Final): boolean => validUntil < timestamp

function contributionTo(policyId: number, sponsorship: Sponsorship | undefined): Spent {
  if (sponsorship === undefined) return nothing
  return contributionsOf(sponsorship).find((own) => own.policyId === policyId)?.spent ?? nothing
}

function raise(amounts: Map<string, bigint>, key: string, by: bigint): void {
  const amount = (amounts.get(key) ?? 0n) + by
  if (amount === 0n) amounts.delete(key)
  else amounts.set(key, amount)
}

const keyText = ({ chainId, paymaster, sender, nonce }: SponsorshipKey): string =>
  `${chainId} ${paymaster} ${sender} ${nonce}`
const senderText = (tenantId: string, { chainId, sender }: SponsorshipKey): string =>
  `${tenantId} ${chainId} ${sender}`
/** Whose money, and where. */
const purseText = (tenantId: string | undefined, { chainId, paymaster }: SponsorshipKey): string =>
  `${tenantId ?? ''} ${chainId} ${paymaster}`

function keyOf({ chainId, paymaster, sender, nonce }: SponsorshipKey): SponsorshipKey {
  return { chainId, paymaster, sender, nonce }
}

const used = () => new PaymasterError('refused', 'nonce_used', 'The nonce of the operation is used already')
const tooMany = (of: 'sender' | 'nonce', message: string) =>
  new PaymasterError('refused', `too_many_open_of_${of}`, message)
