import { type Hex, isAddressEqual } from 'viem'
import { userOperationEventTopic } from '../../chain/events.ts'
import type { RawReceipt } from '../../types/ports/store.ts'
import type { Inclusion } from '../../types/ports/submitter.ts'

/** A receipt, as far as money is concerned. Rollups of the OP Stack, and Scroll, add `l1Fee`. */
export type BundleReceipt = RawReceipt & {
  to?: Hex | null
  status: Hex
  gasUsed: Hex
  effectiveGasPrice?: Hex
  l1Fee?: Hex | null
}

/** bytes of a word, and the place of actualGasCost in the data of UserOperationEvent (ERC-4337) */
const word = 32
const costIndex = 2

/**
 * What a transaction cost, and what it brought: the charges of its own UserOperationEvents, which the EntryPoint gives
 * to the beneficiary. Value that operations send there is none of it, nor are bundles that they carry within.
 */
export function accountOf(
  receipt: BundleReceipt,
): Pick<Inclusion, 'gasUsed' | 'effectiveGasPrice' | 'cost' | 'revenue'> {
  const { to, logs } = receipt
  const gasUsed = BigInt(receipt.gasUsed)
  const effectiveGasPrice = BigInt(receipt.effectiveGasPrice ?? '0x0')
  const charges = logs.filter(
    ({ address, topics }) =>
      typeof to === 'string' && topics[0] === userOperationEventTopic && isAddressEqual(address, to),
  )
  return {
    gasUsed,
    effectiveGasPrice,
    cost: gasUsed * effectiveGasPrice + BigInt(receipt.l1Fee ?? '0x0'),
    revenue: charges.reduce((sum, { data }) => sum + wordOf(data, costIndex), 0n),
  }
}

function wordOf(data: Hex, index: number): bigint {
  const digits = data.slice(2).slice(index * word * 2, (index + 1) * word * 2)
  return BigInt(`0x${digits || '0'}`)
}
