import type { Hex } from 'viem'
import { encodeTokenData, encodeWindowData } from '../../contracts/paymaster/terms.ts'
import type { PaymasterContext, ValidityWindow } from '../../types/paymaster/context.ts'
import type { Tokens } from '../tokens/tokens.ts'
import type { Payer } from './payer.ts'
import { validityWindow } from './window.ts'

/** Per cent that a feed on chain may be above our own sources before the operation is not taken any more. */
const feedTolerance = 5n

/** @throws PaymasterError for a window that cannot be; ms since 1970 */
export function windowOf(context: PaymasterContext, now: number): ValidityWindow {
  if (context.mode === 'sponsor') return validityWindow(context, now)
  return validityWindow({ validAfter: undefined, validUntil: undefined }, now)
}

/** paymasterData with a stub for its signature. @throws PriceUnavailable */
export async function termsData(
  payer: Payer,
  window: ValidityWindow,
  { priceMarkup }: { priceMarkup: number },
  { tokens }: { tokens: Tokens },
): Promise<Hex> {
  if (payer.kind !== 'token') return encodeWindowData(window)
  const { token, price } = payer
  const rate = await tokens.rateOf(token)
  return encodeTokenData({
    ...window,
    price,
    token: token.address,
    exchangeRate: price === 'signed' ? rate : (rate * (100n + feedTolerance) + 99n) / 100n,
    priceMarkup,
  })
}
