import { and, eq } from 'drizzle-orm'
import type { SponsorshipKey } from '../../types/paymaster/sponsorship.ts'
import type { PaymasterStorePort } from '../../types/ports/paymaster-store.ts'
import type { Database } from '../database.ts'
import { claimsOf, settlementOf, storedClaims, storedSettlement } from './stored.ts'
import { ledgerPositions, policyTotals, sponsorships } from './tables.ts'

type Ledger = Pick<PaymasterStorePort, 'saveLedger' | 'sponsorships' | 'totals' | 'ledgerPosition'>

export function createLedgerStore({ query, write, read }: Database): Ledger {
  return {
    async saveLedger({ put, remove, totals, position }) {
      await write([
        ...put.map((sponsorship) => {
          const { chainId, paymaster, sender, nonce } = sponsorship
          const claims = storedClaims(sponsorship)
          const settled = storedSettlement(sponsorship)
          return query
            .insert(sponsorships)
            .values({ chainId, paymaster, sender, nonce, claims, settled })
            .onConflictDoUpdate({ target: sponsorshipKey, set: { claims, settled } })
        }),
        ...remove.map((key) => query.delete(sponsorships).where(at(key))),
        ...totals.map(({ policyId, sender, spent }) =>
          query
            .insert(policyTotals)
            .values({ policyId, sender, ...spent })
            .onConflictDoUpdate({ target: [policyTotals.policyId, policyTotals.sender], set: spent }),
        ),
        ...(position === undefined ? [] : [moveTo(position)]),
      ])
    },

    sponsorships: () =>
      read(async () => {
        const rows = await query.select().from(sponsorships).all()
        return rows.map(({ claims, settled, ...key }) => ({
          ...key,
          claims: claimsOf(claims),
          settled: settlementOf(settled),
        }))
      }),

    totals: () =>
      read(async () => {
        const rows = await query.select().from(policyTotals).all()
        return rows.map(({ policyId, sender, ...spent }) => ({ policyId, sender, spent }))
      }),

    ledgerPosition: ({ chainId }) =>
      read(async () => {
        const row = await query
          .select()
          .from(ledgerPositions)
          .where(eq(ledgerPositions.chainId, chainId))
          .get()
        return row && { number: row.number, hash: row.hash }
      }),
  }

  function moveTo({ chainId, block }: { chainId: number; block: { number: number; hash: `0x${string}` } }) {
    const { number, hash } = block
    return query
      .insert(ledgerPositions)
      .values({ chainId, number, hash })
      .onConflictDoUpdate({ target: ledgerPositions.chainId, set: { number, hash } })
  }
}

const sponsorshipKey = [sponsorships.chainId, sponsorships.paymaster, sponsorships.sender, sponsorships.nonce]

function at({ chainId, paymaster, sender, nonce }: SponsorshipKey) {
  return and(
    eq(sponsorships.chainId, chainId),
    eq(sponsorships.paymaster, paymaster),
    eq(sponsorships.sender, sender),
    eq(sponsorships.nonce, nonce),
  )
}
