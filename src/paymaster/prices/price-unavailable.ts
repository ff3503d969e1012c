import { Unavailable } from '../../base/errors.ts'

/** No price that can be relied on: the source is down, its answer is no price, or it is too old. Our fault, not a verdict. */
export class PriceUnavailable extends Unavailable {
  override readonly name = 'PriceUnavailable'
  constructor(what: string, options?: { cause?: unknown }) {
    super(what, { ...options, told: 'No current price is known' })
  }
}
