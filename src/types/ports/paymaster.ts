import type { Address, Hash } from 'viem'
import type { EntryPointVersion } from '../entrypoint-version.ts'
import type { PaymasterContext } from '../paymaster/context.ts'
import type { Caller } from '../paymaster/tenant.ts'
import type { UserOperation } from '../userop.ts'

/** What a sponsored operation gets for its paymaster: the fields of 0.7 and later; 0.6 packs them. Gas in gas. */
export type PaymasterFields = Pick<
  UserOperation,
  'paymaster' | 'paymasterData' | 'paymasterVerificationGasLimit' | 'paymasterPostOpGasLimit'
>

/** Who is named as the sponsor (ERC-7677). */
export type SponsorInfo = { name: string; icon: string | undefined }

/** Asked for by a caller whose key is good. `useVp`: the tenant's own verifying paymaster. */
export type SponsorRequest = { caller: Caller; op: UserOperation; context: PaymasterContext; useVp: boolean }

/** Exchange rates for one whole native coin. */
export type TokenQuote = {
  token: Address
  symbol: string
  decimals: number
  /** smallest units of the token for one native coin */
  etherTokenExchangeRate: bigint
  /** percent of the cost that is added */
  serviceFeePercent: number
}
export type TokenQuotes = {
  /** 10⁻⁸ US dollars for one native coin */
  etherUSDExchangeRate: bigint
  paymasterAddress: Address
  gasEstimates: Pick<UserOperation, 'preVerificationGas' | 'verificationGasLimit' | 'callGasLimit'>
  feeEstimates: Pick<UserOperation, 'maxFeePerGas' | 'maxPriorityFeePerGas'>
  quotes: readonly TokenQuote[]
  unsupportedTokens: readonly Address[]
}
/** What tokens are worth, without an operation. */
export type TokenRates = Omit<TokenQuotes, 'gasEstimates' | 'feeEstimates'>

/** A token that a paymaster of ours takes. */
export type CommonPaymaster = {
  paymasterAddress: Address
  gasToken: Address
  chainId: number
  decimals: number
}

export type PaymasterMetadata = {
  sponsorAddress: Address
  /** wei */
  sponsorWalletBalance: bigint
  chainsSupported: readonly number[]
  /** By chain, then by symbol. */
  tokenPaymasters: { readonly [chainId: string]: { readonly [symbol: string]: Address } }
}

/** Which paymaster a deposit, a stake or a withdrawal is about. */
export type Purse = { kind: 'shared' } | { kind: 'own'; version: EntryPointVersion }

/** The paymaster service of one chain. Every refusal is a PaymasterError; Unavailable is our own trouble. */
export type PaymasterPort = {
  readonly chainId: number
  /** EntryPoints whose operations it pays for, the preferred one first. */
  readonly versions: readonly EntryPointVersion[]
  readonly sponsor: SponsorInfo
  /** The operation with gas limits of our own, signed for: all of it has to be used as it is. */
  sponsorOperation(request: SponsorRequest): Promise<UserOperation>
  /** A stand-in of the right length and gas, never a signature that holds (ERC-7677). */
  stub(request: SponsorRequest): Promise<PaymasterFields>
  /** Signs the operation with the limits that it has (ERC-7677). */
  data(request: SponsorRequest): Promise<PaymasterFields>
  quotes(request: { caller: Caller; op: UserOperation; tokens: readonly Address[] }): Promise<TokenQuotes>
  /** As `quotes`, for whoever reckons the gas itself. */
  rates(request: { version: EntryPointVersion; tokens: readonly Address[] }): Promise<TokenRates>
  commonPaymasters(version: EntryPointVersion): Promise<readonly CommonPaymaster[]>
  metadata(caller: Caller, version: EntryPointVersion): Promise<PaymasterMetadata>

  /** On chain, at the shared paymaster. Accepted by the node when it resolves. @throws 409 when nothing would change */
  whitelist(caller: Caller, addresses: readonly Address[]): Promise<Hash>
  removeFromWhitelist(caller: Caller, addresses: readonly Address[]): Promise<Hash>
  isWhitelisted(caller: Caller, address: Address): Promise<boolean>
  whitelisted(caller: Caller): Promise<readonly Address[]>
  /** @param amount wei. @throws 400 over the wallet's balance */
  deposit(caller: Caller, purse: Purse, amount: bigint): Promise<Hash>
  withdraw(caller: Caller, purse: Purse, amount: bigint): Promise<Hash>
  addStake(caller: Caller, version: EntryPointVersion, amount: bigint): Promise<Hash>
  /** Two at the same time deploy once. @throws 400 when there is one already */
  deploy(caller: Caller, version: EntryPointVersion): Promise<{ verifyingPaymaster: Address; txHash: Hash }>
  /** Resolves when the transaction is in a block. */
  mined(transactionHash: Hash): Promise<void>
}
