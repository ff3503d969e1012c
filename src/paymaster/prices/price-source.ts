/** Fraction digits of prices in US dollars, as Chainlink's feeds have them. */
export const priceDecimals = 8

/** A price in 10⁻⁸ US dollars for one whole coin or token, with the time that it is of (s since 1970). */
export type Price = { usd: bigint; at: number }

/** Where a price comes from. @throws PriceUnavailable; never an old price, never a guess */
export type PriceSource = () => Promise<Price>
