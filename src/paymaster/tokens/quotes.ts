import { type Address, type Hex, zeroAddress } from 'viem'
import { describe, Unavailable } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { encodeTokenData } from '../../contracts/paymaster/terms.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { BundlerPort } from '../../types/ports/bundler.ts'
import type { PaymasterPort, TokenQuote, TokenRates } from '../../types/ports/paymaster.ts'
import type { PriceSource } from '../prices/price-source.ts'
import type { PaymasterSettings } from '../settings.ts'
import { unsupportedToken } from '../sponsor/context.ts'
import { paymasterLimits, withPaymasterGas } from '../sponsor/gas.ts'
import { refusalOf } from '../sponsor/refusal.ts'
import type { TokenSettings } from './token.ts'
import type { Tokens } from './tokens.ts'

export type Quotes = Pick<PaymasterPort, 'quotes' | 'rates' | 'commonPaymasters'>

/** What the operator's token paymasters charge. */
export function createQuotes(
  settings: Pick<PaymasterSettings, 'chainId' | 'tokenPaymasters' | 'priceMarkup'>,
  modules: {
    bundler: Pick<BundlerPort, 'estimate' | 'gasPrice'>
    tokens: Tokens
    nativePrice: PriceSource
    log: Log
    now: () => number
  },
): Quotes {
  const { bundler, tokens } = modules
  const serviceFeePercent = (settings.priceMarkup - 1_000_000) / 10_000

  return {
    rates,

    async quotes({ op, tokens: asked }) {
      const { version } = op
      const [told, fees] = await Promise.all([rates({ version, tokens: asked }), bundler.gasPrice()])
      const { maxFeePerGas, maxPriorityFeePerGas } = fees
      const paymaster = told.paymasterAddress
      const paid = {
        ...op,
        ...paymasterLimits('token', op),
        paymaster,
        paymasterData: stubOf(told.quotes[0]),
      }
      const measured = await bundler.estimate(paid, undefined).catch((error) => {
        throw refusalOf(error)
      })
      const { preVerificationGas, verificationGasLimit, callGasLimit } = withPaymasterGas(
        measured,
        'token',
        paid,
      )
      return {
        ...told,
        gasEstimates: { preVerificationGas, verificationGasLimit, callGasLimit },
        feeEstimates: { maxFeePerGas, maxPriorityFeePerGas },
      }
    },

    async commonPaymasters(version) {
      const paymasterAddress = settings.tokenPaymasters[version]
      if (paymasterAddress === undefined) return []
      const { chainId } = settings
      return tokens.all.map(({ address, decimals }) => ({
        ...{ paymasterAddress, gasToken: address, chainId, decimals },
      }))
    },
  }

  /** All that an estimate needs of terms is their size. */
  function stubOf(quote: TokenQuote | undefined): Hex {
    const { token = zeroAddress, etherTokenExchangeRate: exchangeRate = 0n } = quote ?? {}
    const { priceMarkup } = settings
    const now = Math.floor(modules.now() / 1000)
    const window = { validAfter: now, validUntil: now }
    return encodeTokenData({ ...window, price: 'signed', token, exchangeRate, priceMarkup })
  }

  /** A token that is not known, or has no price now, does not fail the others. */
  async function rates(request: {
    version: EntryPointVersion
    tokens: readonly Address[]
  }): Promise<TokenRates> {
    const paymasterAddress = settings.tokenPaymasters[request.version]
    if (paymasterAddress === undefined) throw unsupportedToken()
    const { usd } = await modules.nativePrice()
    const found = await Promise.all(
      request.tokens.map(async (address) => {
        const token = tokens.byAddress(address)
        return { address, quote: token === undefined ? undefined : await quoteOf(token) }
      }),
    )
    return {
      etherUSDExchangeRate: usd,
      paymasterAddress,
      quotes: found.flatMap(({ quote }) => quote ?? []),
      unsupportedTokens: found.flatMap(({ address, quote }) => (quote === undefined ? [address] : [])),
    }
  }

  async function quoteOf(token: TokenSettings): Promise<TokenQuote | undefined> {
    const { address, symbol, decimals } = token
    try {
      const etherTokenExchangeRate = await tokens.rateOf(token)
      return { token: address, symbol, decimals, etherTokenExchangeRate, serviceFeePercent }
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      modules.log.warn('token not quoted', { token: symbol, error: describe(error) })
      return undefined
    }
  }
}
