import type { Context } from '../base/context.ts'
import type { Tenant } from '../types/paymaster/tenant.ts'
import type { BundlerPort } from '../types/ports/bundler.ts'
import type { HeadSource, NodeClient } from '../types/ports/chain.ts'
import type { PaymasterPort } from '../types/ports/paymaster.ts'
import type { PaymasterStorePort } from '../types/ports/paymaster-store.ts'
import type { Deployments } from './deployments.ts'
import type { Books } from './ledger/books.ts'
import { createMetadata } from './metadata.ts'
import type { PolicyBook } from './policies/choose.ts'
import { openPrice } from './prices/open-price.ts'
import type { PaymasterSettings } from './settings.ts'
import { createAdmission } from './sponsor/admission.ts'
import type { Debtors } from './sponsor/debtors.ts'
import { createPayerChoice } from './sponsor/payer.ts'
import { createSponsor, type Signer } from './sponsor/sponsor.ts'
import { createTrial, type Rehearse } from './sponsor/trial.ts'
import { createQuotes } from './tokens/quotes.ts'
import { createTokens } from './tokens/tokens.ts'

/** The half of the port that sends transactions of the tenants' wallets. */
export type WalletPart = Pick<
  PaymasterPort,
  | 'whitelist'
  | 'removeFromWhitelist'
  | 'isWhitelisted'
  | 'whitelisted'
  | 'deposit'
  | 'withdraw'
  | 'addStake'
  | 'deploy'
  | 'mined'
>

export type PaymasterModules = Context & {
  bundler: Pick<BundlerPort, 'estimate' | 'gasPrice' | 'hash'>
  rehearse: Rehearse
  /** The chain's, not the callers'. */
  node: NodeClient
  heads: Pick<HeadSource, 'current' | 'refresh'>
  store: Pick<PaymasterStorePort, 'tenants' | 'isWhitelisted'>
  books: Books
  policies: PolicyBook
  deployments: Deployments
  debtors: Debtors
  /** A tenant's wallet, which signs for what it pays. */
  wallet: (tenant: Tenant) => Signer
  /** The operator's, for its token paymasters. */
  tokenSigner: Signer
  /** All chains that are served now, for the metadata. */
  chainsSupported: () => readonly number[]
  transactions: WalletPart
  now: () => number
}

/** One chain's paymaster service. Starts nothing and owns nothing. */
export function createPaymaster(settings: PaymasterSettings, modules: PaymasterModules): PaymasterPort {
  const { chainId, versions, sponsor } = settings
  const nativePrice = openPrice(settings.nativePrice, modules)
  const tokens = createTokens(settings, {
    nativePrice,
    openPrice: ({ price }) => openPrice(price, modules),
  })
  const payerOf = createPayerChoice(settings, { ...modules, tokens })
  const admission = createAdmission(settings, { ...modules, price: nativePrice })
  const trial = createTrial(modules)
  const { quotes, rates, commonPaymasters } = createQuotes(settings, { ...modules, tokens, nativePrice })

  return {
    chainId,
    versions,
    sponsor,
    ...createSponsor(settings, { ...modules, payerOf, admission, trial, tokens }),
    quotes,
    rates,
    commonPaymasters,
    metadata: createMetadata(settings, modules),
    ...modules.transactions,
  }
}
