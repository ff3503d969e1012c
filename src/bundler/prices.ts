import type { FeeQuote } from '../types/block.ts'
import type { FeeOracle } from '../types/ports/chain.ts'
import type { DataFeeOracle, Market } from '../types/ports/data-fee.ts'
import type { UserOperation } from '../types/userop.ts'
import { createQuotedMarkets } from './quoted-markets.ts'

/** basis points in a whole */
const whole = 10_000n

/** What this chain asks of an operation. */
export type Prices = {
  /** As of the newest block. */
  market(): Promise<Market>
  /** The oracle's fees with `gasPriceMarkup`: what estimates and `bundler_getGasPrice` recommend. */
  recommended(): Promise<FeeQuote>
  /** gas; what estimates give */
  preVerificationGas(op: UserOperation): Promise<bigint>
  /** What an operation that is sent must offer at least: the lowest of now and of all that was quoted and holds. */
  asked(op: UserOperation): Promise<Asked>
}

export type Asked = {
  /** With the base fee of now, which nobody can do without. */
  quote: FeeQuote
  /** gas */
  preVerificationGas: bigint
}

export function createPrices(
  options: {
    /** basis points */
    gasPriceMarkup: number
    /** s for which what was quoted is accepted */
    quoteValidity: number
  },
  modules: {
    fees: FeeOracle
    dataFees: DataFeeOracle
    preVerificationGas: (op: UserOperation, market: Market) => bigint
    now: () => number
  },
): Prices {
  const { fees, dataFees, preVerificationGas, now } = modules
  const quoted = createQuotedMarkets({ validity: options.quoteValidity * 1000 })

  return {
    market,
    async recommended() {
      const { quote } = await quotedMarket()
      return markedUp(quote, options.gasPriceMarkup)
    },
    async preVerificationGas(op) {
      return preVerificationGas(op, await quotedMarket())
    },
    async asked(op) {
      const current = await market()
      const markets = [current, ...quoted.valid(now())]
      const lowest = (price: (market: Market) => bigint) => least(markets.map(price))
      return {
        quote: markedUp(
          {
            ...current.quote,
            maxFeePerGas: lowest(({ quote }) => quote.maxFeePerGas),
            maxPriorityFeePerGas: lowest(({ quote }) => quote.maxPriorityFeePerGas),
          },
          options.gasPriceMarkup,
        ),
        preVerificationGas: lowest((each) => preVerificationGas(op, each)),
      }
    },
  }

  async function market(): Promise<Market> {
    const [quote, data] = await Promise.all([fees.quote(), dataFees.prices()])
    return { quote, data }
  }

  async function quotedMarket(): Promise<Market> {
    const current = await market()
    quoted.add(current, now())
    return current
  }
}

/** Both fees times (10000 + markup) / 10000. */
function markedUp(quote: FeeQuote, markup: number): FeeQuote {
  const times = (fee: bigint) => (fee * (whole + BigInt(markup))) / whole
  return {
    ...quote,
    maxFeePerGas: times(quote.maxFeePerGas),
    maxPriorityFeePerGas: times(quote.maxPriorityFeePerGas),
  }
}

function least(values: readonly bigint[]): bigint {
  return values.reduce((a, b) => (a < b ? a : b))
}
