import type { FeeQuote } from '../types/block.ts'
import type { FeeOracle } from '../types/ports/chain.ts'
import type { UserOperation } from '../types/userop.ts'

/** basis points in a whole */
const whole = 10_000n

/** What this chain asks of an operation. */
export type Prices = {
  /** The oracle's fees with `gasPriceMarkup`: what estimates and `bundler_getGasPrice` recommend. */
  recommended(): Promise<FeeQuote>
  /** gas */
  preVerificationGas(op: UserOperation): Promise<bigint>
}

export function createPrices(
  options: { /** basis points */ gasPriceMarkup: number },
  modules: {
    fees: FeeOracle
    preVerificationGas: (op: UserOperation, fees: FeeQuote) => Promise<bigint> | bigint
  },
): Prices {
  return {
    async recommended() {
      return markedUp(await modules.fees.quote(), options.gasPriceMarkup)
    },
    async preVerificationGas(op) {
      return modules.preVerificationGas(op, await modules.fees.quote())
    },
  }
}

/** Both fees times (10000 + markup) / 10000. */
export function markedUp(quote: FeeQuote, markup: number): FeeQuote {
  const times = (fee: bigint) => (fee * (whole + BigInt(markup))) / whole
  return {
    ...quote,
    maxFeePerGas: times(quote.maxFeePerGas),
    maxPriorityFeePerGas: times(quote.maxPriorityFeePerGas),
  }
}
