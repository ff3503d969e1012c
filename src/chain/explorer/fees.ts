import type { FeeOracle } from '../../types/ports/chain.ts'
import type { ExplorerClient } from './client.ts'
import { type ExplorerGasPrice, gasPriceIn, raisedTo } from './gas-price.ts'

/** ms between questions: an explorer's own oracle changes that often, and free keys have 100,000 calls a day. */
const interval = 10_000
/** ms after which an answer says nothing about the market any more: five blocks of Ethereum */
const longestUse = 60_000

/** A fee oracle that knows what an explorer proposes too. It never waits for the explorer. */
export function createExplorerFees(
  { now }: { now: () => number },
  { fees, explorer }: { fees: FeeOracle; explorer: ExplorerClient },
): FeeOracle {
  let latest: { price: ExplorerGasPrice; at: number } | undefined
  let askedAt = Number.NEGATIVE_INFINITY

  return {
    async quote() {
      if (now() - askedAt >= interval) ask()
      const quote = await fees.quote()
      if (latest === undefined || now() - latest.at > longestUse) return quote
      return raisedTo(quote, latest.price)
    },
  }

  function ask(): void {
    askedAt = now()
    explorer.ask({ module: 'gastracker', action: 'gasoracle' }).then(
      (result) => {
        const price = gasPriceIn(result)
        if (price !== undefined) latest = { price, at: now() }
      },
      // The client has told of it; until the next question the node alone decides.
      () => {},
    )
  }
}
