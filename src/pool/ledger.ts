import type { Address } from 'viem'
import { numberToHex } from 'viem'
import { type Entry, isWaiting } from './entry.ts'
import { DepositTooLow } from './errors.ts'

type Account = { deposit: bigint; reserved: bigint; entries: Set<Entry> }

/** What paymasters have at the EntryPoint, against what their pooled operations may cost (EREP-010). */
export class Ledger {
  readonly #accounts = new Map<Address, Account>()

  paymasters(): Address[] {
    return [...this.#accounts.keys()]
  }

  /**
   * @param cost wei of the operation that wants in
   * @param freed wei of the one that it replaces
   * @throws DepositTooLow
   */
  requireCovered(paymaster: Address, deposit: bigint, cost: bigint, freed: bigint): void {
    const reserved = (this.#accounts.get(paymaster)?.reserved ?? 0n) - freed
    if (reserved + cost <= deposit) return
    throw new DepositTooLow(paymaster, {
      deposit: numberToHex(deposit),
      reserved: numberToHex(reserved),
      needed: numberToHex(cost),
      hint: 'raise its deposit at the EntryPoint, or wait until its pending operations are included',
    })
  }

  reserve(paymaster: Address, deposit: bigint, entry: Entry): void {
    const account = this.#accounts.get(paymaster) ?? { deposit, reserved: 0n, entries: new Set() }
    account.deposit = deposit
    account.reserved += entry.cost
    account.entries.add(entry)
    this.#accounts.set(paymaster, account)
  }

  release(paymaster: Address, entry: Entry): void {
    const account = this.#accounts.get(paymaster)
    if (!account?.entries.delete(entry)) return
    account.reserved -= entry.cost
    if (account.entries.size === 0) this.#accounts.delete(paymaster)
  }

  /** Waiting operations that `deposit` covers no more, cheapest first; they are not released yet. */
  setDeposit(paymaster: Address, deposit: bigint): Entry[] {
    const account = this.#accounts.get(paymaster)
    if (account === undefined) return []
    account.deposit = deposit
    let missing = account.reserved - deposit
    if (missing <= 0n) return []
    const cheapestFirst = [...account.entries].filter(isWaiting).sort((a, b) => (a.cost < b.cost ? -1 : 1))
    return cheapestFirst.filter((entry) => {
      const uncovered = missing > 0n
      missing -= uncovered ? entry.cost : 0n
      return uncovered
    })
  }
}
