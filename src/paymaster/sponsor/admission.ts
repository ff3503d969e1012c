import type { Hash } from 'viem'
import { Unavailable } from '../../base/errors.ts'
import type { BlockRef } from '../../types/block.ts'
import type { ValidityWindow } from '../../types/paymaster/context.ts'
import type { Policy, Spent } from '../../types/paymaster/policy.ts'
import type { SponsorshipKey } from '../../types/paymaster/sponsorship.ts'
import type { HeadSource, NodeClient } from '../../types/ports/chain.ts'
import type { PaymasterStorePort } from '../../types/ports/paymaster-store.ts'
import type { UserOperation } from '../../types/userop.ts'
import { requiredPrefund } from '../../types/userop-cost.ts'
import type { Books } from '../ledger/books.ts'
import { PaymasterError } from '../paymaster-error.ts'
import { callsOf } from '../policies/calls.ts'
import type { PolicyBook } from '../policies/choose.ts'
import { enforcePolicy } from '../policies/enforce.ts'
import { policyNotFound } from '../policies/policy-not-found.ts'
import type { PriceSource } from '../prices/price-source.ts'
import { createDepositReader, isWhitelistedOnChain } from './deposit.ts'
import type { Payer, SponsorPayer } from './payer.ts'

/** An operation, and who is to pay for it. `op` has the paymaster's fields. */
export type Order = { payer: Payer; op: UserOperation; window: ValidityWindow }

/** Whether the payer wants, may and can pay. */
export type Admission = {
  /** All that the payer's policies and lists say, with the limits that the operation has so far. @throws PaymasterError */
  check(order: Order): Promise<void>
  /** That the payer's deposit is good for the operation beside what is promised already. @throws PaymasterError */
  cover(order: Order): Promise<Cover>
  /**
   * Limits and deposit once more, then the reservation with no wait in between; resolves when it is stored.
   * @throws PaymasterError; Unavailable when something could not be told: then nothing is reserved
   */
  reserve(order: Order, userOpHash: Hash, cover: Cover): Promise<void>
}

/** wei, on the newest block. What an operation has cost is still promised then, or not in the deposit any more. */
export type Cover = { deposit: bigint; at: BlockRef }

/** Looks at a deposit that the chain's next block has overtaken already. */
const attempts = 5
const wholeCoin = 10n ** 18n

export function createAdmission(
  { chainId }: { chainId: number },
  modules: {
    books: Books
    policies: PolicyBook
    store: Pick<PaymasterStorePort, 'isWhitelisted'>
    /** Of the native coin. */
    price: PriceSource
    node: NodeClient
    heads: Pick<HeadSource, 'current' | 'refresh'>
    now: () => number
  },
): Admission {
  const { books, policies, store, node, heads } = modules
  const depositOf = createDepositReader({ node })

  return {
    async check(order) {
      const { payer } = order
      if (payer.kind === 'token') return
      requireWithinLimits(order, await costOf(order.op))
      await requireWhitelisted(payer, order.op)
    },

    async cover(order) {
      let cover = await look(order)
      if (cover.deposit < needed(order)) {
        // A deposit that was just made may not be in the block that we know.
        await heads.refresh()
        cover = await look(order)
      }
      requireCovered(order, cover)
      return cover
    },

    async reserve(order, userOpHash, covered) {
      const { payer, op, window } = order
      const cost = await costOf(op)
      let cover = covered
      for (let attempt = 1; cover.at.hash !== heads.current?.hash; attempt++) {
        if (attempt > attempts) throw new Unavailable('the chain is faster than its deposits can be read')
        cover = await look(order)
      }
      // From here on nothing waits, so that of many requests at once no two can spend the same.
      requireWithinLimits(order, cost)
      requireCovered(order, cover)
      const policyId = payer.kind === 'token' ? undefined : payer.policy?.id
      const { native, usd } = cost
      const { validUntil } = window
      const claim = { userOpHash, tenantId: payer.tenant.id, policyId, native, usd, validUntil }
      await books.reserve(keyOf(order), claim)
    },
  }

  /** The most that the operation can cost, in US dollars at the price of now. */
  async function costOf(op: UserOperation): Promise<Spent> {
    const native = requiredPrefund(op)
    const { usd } = await modules.price()
    return { native, usd: (native * usd + wholeCoin - 1n) / wholeCoin, count: 1 }
  }

  function requireWithinLimits({ payer, op }: Order, cost: Spent): void {
    if (payer.kind === 'token' || payer.policy === undefined) return
    const policy = present(payer.policy)
    const calls = policy.allowedTargets === undefined ? undefined : callsOf(op.callData)
    const request = { sender: op.sender, chainId, version: op.version, now: modules.now(), calls }
    enforcePolicy(policy, request, cost, books.ledger.usage(policy.id, keyOf({ payer, op })))
  }

  /** As it is now: it may have been changed since it was chosen. */
  function present({ id }: Policy): Policy {
    const policy = policies.byId(id)
    if (policy === undefined) throw policyNotFound()
    return policy
  }

  /** The shared paymaster asks its own list, whatever the policies say. */
  async function requireWhitelisted(payer: SponsorPayer, { sender }: UserOperation): Promise<void> {
    const { kind, policy, tenant } = payer
    if (kind === 'sponsor' && !(await isWhitelistedOnChain(payer, sender, node))) throw notWhitelisted()
    if (kind === 'sponsor' && policy === undefined) return
    if (policy !== undefined && !present(policy).whitelistApplicable) return
    const place = { tenantId: tenant.id, policyId: policy?.id }
    if (!(await store.isWhitelisted({ place, address: sender }))) throw notWhitelisted()
  }

  async function look({ payer, op }: Order): Promise<Cover> {
    const at = heads.current
    if (at === undefined) throw new Unavailable('no block is known yet')
    return { deposit: await depositOf(payer, op.version, at), at }
  }

  function requireCovered(order: Order, { deposit }: Cover): void {
    if (deposit >= needed(order)) return
    throw new PaymasterError(
      'refused',
      'deposit_too_low',
      'Paymaster deposit does not cover the operation beside what is promised already',
    )
  }

  /** Token paymasters pay for all tenants out of one deposit. */
  function needed({ payer, op }: Order): bigint {
    const tenantId = payer.kind === 'token' ? undefined : payer.tenant.id
    return books.ledger.promised(tenantId, keyOf({ payer, op })) + requiredPrefund(op)
  }

  function keyOf({ payer, op }: Pick<Order, 'payer' | 'op'>): SponsorshipKey {
    return { chainId, paymaster: payer.paymaster, sender: op.sender, nonce: op.nonce }
  }
}

const notWhitelisted = (): PaymasterError =>
  new PaymasterError('refused', 'sender_not_whitelisted', 'Sender is not whitelisted')
