/** Fraction digits of US dollars in limits, and of their unit here (10⁻⁸). */
export const usdDigits = { shown: 4, kept: 8 } as const
/** Fraction digits of the native coin: wei. */
export const nativeDigits = { shown: 18, kept: 18 } as const

type Digits = { shown: number; kept: number }

/** More than any chain's supply or any budget; what is above cannot be meant. */
const mostWhole = 10n ** 30n

/**
 * A number or decimal text → its smallest units.
 * @returns why not, for what is no amount: negative, not finite, in another notation, with too many digits
 */
export function parseAmount(
  given: number | string,
  { shown, kept }: Digits,
): { value: bigint } | { fault: string } {
  const text = typeof given === 'number' ? plain(given, shown) : given
  if (text === undefined || !/^\d+(\.\d+)?$/.test(text))
    return { fault: 'must be a decimal number, not negative' }
  const [whole = '', fraction = ''] = text.split('.')
  if (fraction.length > shown) return { fault: `has more than ${shown} fraction digits` }
  if (BigInt(whole) > mostWhole) return { fault: 'is out of range' }
  return { value: BigInt(whole + fraction.padEnd(kept, '0')) }
}

/** Smallest units → text with all of its fraction digits; what is smaller than the last one is rounded up. */
export function formatAmount(value: bigint, { shown, kept }: Digits): string {
  const unit = 10n ** BigInt(kept - shown)
  const digits = ((value + unit - 1n) / unit).toString().padStart(shown + 1, '0')
  return `${digits.slice(0, -shown)}.${digits.slice(-shown)}`
}

/** A number as it would be written; `undefined` for what is none, or has digits that cannot be written. */
function plain(given: number, digits: number): string | undefined {
  if (!Number.isFinite(given)) return undefined
  const text = String(given)
  if (!text.includes('e')) return text
  if (given >= 1) return BigInt(given).toString()
  const fixed = given.toFixed(digits)
  return Number(fixed) === given ? fixed : undefined
}
