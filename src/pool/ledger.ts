import { type Address, numberToHex } from 'viem'
import { TandemError } from '../base/errors.ts'
import { createFeeIndex, type FeeIndex } from './fee-index.ts'
import { type Held, isInFlight } from './held.ts'
import { type AddressId, idOf, type Participant } from './participant.ts'

/** -32508 (EREP-010) */
export class DepositTooLow extends TandemError {
  override readonly name = 'DepositTooLow'
  constructor(
    paymaster: Address,
    { deposit, reserved, cost }: Record<'deposit' | 'reserved' | 'cost', bigint>,
  ) {
    super(-32508, `deposit of paymaster ${paymaster} cannot cover all its pending operations`, {
      entity: 'paymaster',
      address: paymaster,
      paymaster,
      deposit: numberToHex(deposit),
      reserved: numberToHex(reserved),
      required: numberToHex(cost),
      hint: 'raise the deposit at the EntryPoint, or wait until pending operations are included',
    })
  }
}

type Account = {
  readonly address: Address
  /** wei, as the chain told last; `undefined` when it was not asked yet */
  deposit: bigint | undefined
  /** wei that its operations here may cost it at most */
  reserved: bigint
  readonly operations: FeeIndex
  count: number
}

/** What paymasters have at the EntryPoint, against what their operations in the pool may cost (EREP-010). */
export type Ledger = {
  paymasters(): readonly Address[]
  /** @throws DepositTooLow when `deposit` does not cover `cost` beside what is reserved, less what `replaced` frees */
  requireCovered(paymaster: Address, deposit: bigint, cost: bigint, replaced: Held | undefined): void
  /** wei that was told last for a paymaster with operations here */
  deposit(paymaster: Address): bigint | undefined
  reserve(held: Held): void
  release(held: Held): void
  /** Operations that are not covered any more, those that pay least at `baseFee` first. They are not released yet. */
  setDeposit(paymaster: Address, deposit: bigint, baseFee: bigint): readonly Held[]
}

export function createLedger(): Ledger {
  const accounts = new Map<AddressId, Account>()

  return {
    paymasters: () => [...accounts.values()].map((account) => account.address),
    deposit: (paymaster) => accounts.get(idOf(paymaster))?.deposit,

    requireCovered(paymaster, deposit, cost, replaced) {
      const id = idOf(paymaster)
      const freed = replaced !== undefined && payerOf(replaced)?.id === id ? replaced.cost : 0n
      const reserved = (accounts.get(id)?.reserved ?? 0n) - freed
      if (reserved + cost > deposit) throw new DepositTooLow(paymaster, { deposit, reserved, cost })
    },

    reserve(held) {
      const payer = payerOf(held)
      if (payer === undefined) return
      const account = accounts.get(payer.id) ?? openAccount(payer.address)
      accounts.set(payer.id, account)
      account.reserved += held.cost
      account.count += 1
      account.operations.add(held)
    },

    release(held) {
      const payer = payerOf(held)
      const account = payer && accounts.get(payer.id)
      if (payer === undefined || account === undefined) return
      account.reserved -= held.cost
      account.count -= 1
      account.operations.delete(held)
      if (account.count === 0) accounts.delete(payer.id)
    },

    setDeposit(paymaster, deposit, baseFee) {
      const account = accounts.get(idOf(paymaster))
      if (account === undefined) return []
      account.deposit = deposit
      return uncovered(account, deposit, baseFee)
    },
  }
}

const openAccount = (address: Address): Account => ({
  address,
  deposit: undefined,
  reserved: 0n,
  operations: createFeeIndex('worst'),
  count: 0,
})

const payerOf = ({ helpers }: Held): Participant | undefined =>
  helpers.find(({ kind }) => kind === 'paymaster')

function uncovered({ reserved, operations }: Account, deposit: bigint, baseFee: bigint): readonly Held[] {
  const dropped: Held[] = []
  const search = operations.search(baseFee)
  let missing = reserved - deposit
  while (missing > 0n) {
    const held = search.next()
    if (held === undefined) break
    if (isInFlight(held)) continue
    missing -= held.cost
    dropped.push(held)
  }
  return dropped
}
