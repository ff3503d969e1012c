import type { Address, Hex } from 'viem'
import type { EntryPointVersion } from '../entrypoint-version.ts'

/** What sponsored operations cost. `usd` in 10⁻⁸ US dollars, `native` in wei, `count` in operations. */
export type Spent = { usd: bigint; native: bigint; count: number }

/** The most that may be spent, by one measure or several; `undefined` is no limit of that kind. */
export type Limits = { [Measure in keyof Spent]: Spent[Measure] | undefined }

/** A contract's function that a sponsored call may go to. */
export type AllowedTarget = { address: Address; selector: Hex }

/** A sponsorship policy (interface.md), as the program works with it. Times in ms since 1970. */
export type Policy = {
  id: number
  tenantId: string
  name: string
  description: string
  /** Other tenants may name it; then its owner signs and pays. */
  isPublic: boolean
  isEnabled: boolean
  isPerpetual: boolean
  startTime: number | undefined
  endTime: number | undefined
  isApplicableToAllNetworks: boolean
  enabledChains: readonly number[]
  versions: readonly EntryPointVersion[]
  global: Reach
  perUser: Reach
  perOperation: Reach
  /** Checksummed; `undefined` is no list. */
  allowList: readonly Address[] | undefined
  blockList: readonly Address[] | undefined
  allowedTargets: readonly AllowedTarget[] | undefined
  /** Its whitelist decides who is sponsored, nobody where that is empty; so from the first sender that is put there. */
  whitelistApplicable: boolean
  createdAt: number
  updatedAt: number
}

/** Limits of one reach (all operations, one sender's, one operation); they count only while `applicable`. */
export type Reach = Limits & { applicable: boolean }
