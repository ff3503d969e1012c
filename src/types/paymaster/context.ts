import type { Address } from 'viem'

/** How an operation is to be paid for (answers.md §2, `context`). Times in ms since 1970. */
export type PaymasterContext =
  | {
      mode: 'sponsor'
      policyId: number | undefined
      validAfter: number | undefined
      validUntil: number | undefined
    }
  /** By symbol. */
  | { mode: 'erc20'; token: string }
  | { mode: 'multitoken' | 'commonerc20'; token: Address }

/** While a signature holds; s since 1970, as contracts have it. */
export type ValidityWindow = { validAfter: number; validUntil: number }
