import type { Address } from 'viem'
import type { Shortage } from './submitter.ts'

/** What an operator wants to hear of at once; amounts in wei. */
export type Alert =
  | { event: RelayerEvent; chainId: number; relayer: Address; balance: bigint }
  | {
      event: 'paymaster.low-deposit' | 'paymaster.recovered'
      chainId: number
      paymaster: Address
      deposit: bigint
    }
  | {
      event: 'funding.short' | 'funding.recovered'
      chainId: number
      account: Address
      balance: bigint
      reason: Shortage
    }
  | { event: 'chain.not-ready' | 'chain.ready'; chainId: number; missing: readonly string[] }
  | { event: 'service.not-ready' | 'service.ready'; missing: readonly string[] }

/** `low-balance` warns that `paused` is near; `recovered` ends both. */
export type RelayerEvent = 'relayer.low-balance' | 'relayer.paused' | 'relayer.recovered'

/** Never waits, never fails. */
export type Alerts = { tell(alert: Alert): void }
