import { isAddressEqual, parseTransaction } from 'viem'
import type { WalletOrder } from '../../../types/ports/wallets.ts'
import type { Slot } from '../slot.ts'

/** wei that the open transactions from `nonce` on may still take, by the dearest version of each. */
export function committedFrom(nonce: number, slots: readonly Slot[]): bigint {
  return slots
    .filter((slot) => slot.nonce >= nonce)
    .reduce(
      (sum, { versions }) => sum + highest(versions.map(({ transaction }) => costOf(transaction.raw))),
      0n,
    )
}

/** The transaction that makes the same call and is not in a block yet. */
export function sameCall(order: WalletOrder, slots: readonly Slot[]): Slot | undefined {
  return slots.find(({ state, versions }) => {
    const first = versions[0]?.transaction
    if (state.kind !== 'pending' || first === undefined || first.kind !== 'bundle') return false
    const { to, data = '0x', value = 0n } = parseTransaction(first.raw)
    return (
      typeof to === 'string' && isAddressEqual(to, order.to) && data === order.data && value === order.value
    )
  })
}

function costOf(raw: Slot['versions'][number]['transaction']['raw']): bigint {
  const { value = 0n, gas = 0n, maxFeePerGas, gasPrice } = parseTransaction(raw)
  return value + gas * (maxFeePerGas ?? gasPrice ?? 0n)
}

const highest = (costs: readonly bigint[]): bigint => costs.reduce((a, b) => (a > b ? a : b), 0n)
