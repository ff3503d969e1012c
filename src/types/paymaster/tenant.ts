import type { Address, Hex } from 'viem'

/** What a key may do: read, ask for sponsorship, change and spend. `admin` holds the others. */
export const scopes = ['read', 'sponsor', 'admin'] as const
export type Scope = (typeof scopes)[number]

/** Who pays: one API key's owner, with a sponsor wallet, policies, whitelists and deposits of its own. */
export type Tenant = {
  /** Random, so that the command line can make one beside a running service. */
  id: string
  name: string
  walletAddress: Address
  /** The wallet's private key, encrypted under the master key (`wallet-cipher.ts`). */
  encryptedKey: Hex
  createdAt: number
}

/** An API key as it is kept: its hash only. Times in ms since 1970. */
export type ApiKey = {
  id: string
  tenantId: string
  /** SHA-256 of the key's text */
  hash: Hex
  /** The first characters, by which people tell keys apart. */
  hint: string
  scopes: readonly Scope[]
  /** Credits that it may spend in a month, and in a second; `undefined` is without limit. */
  creditsPerMonth: number | undefined
  creditsPerSecond: number | undefined
  createdAt: number
  revokedAt: number | undefined
}

/** Who asks: a valid key and its tenant. */
export type Caller = { key: ApiKey; tenant: Tenant }
