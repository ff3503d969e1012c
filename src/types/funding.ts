/** Top-ups of relayers are journaled as bundles without operations; their names tell them apart. */
const prefix = 'funding-'

export const newFundingId = (): string => `${prefix}${crypto.randomUUID()}`

/** Names from `first` up to, and without, `end`: what an index of names can find. */
export const fundingIds = { first: prefix, end: 'funding.' } as const

/** ms over which top-ups are limited; it slides, so that no midnight gives twice the limit. */
export const fundingPeriod = 86_400_000
