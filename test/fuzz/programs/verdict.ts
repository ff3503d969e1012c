/** What a case came to, in words that can be compared and printed. Numbers of gas and wei as text. */
export type Verdict = {
  readonly outcome: 'returned' | 'reverted' | 'halted'
  /** hexadecimal */
  readonly output: string
  readonly gasUsed: string
  readonly refund: string
  readonly logs: readonly string[]
  /** Every account that exists, by address: balance, nonce, code, and the slots that are not zero. */
  readonly state: Readonly<Record<string, string>>
}

export type AccountAfter = {
  readonly balance: bigint
  readonly nonce: bigint
  /** hexadecimal */
  readonly code: string
  readonly storage: ReadonlyMap<string, bigint>
}

export function stateText(accounts: ReadonlyMap<string, AccountAfter>): Record<string, string> {
  return Object.fromEntries(
    [...accounts]
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([address, { balance, nonce, code, storage }]) => {
        const slots = [...storage]
          .filter(([, value]) => value !== 0n)
          .toSorted(([left], [right]) => (left < right ? -1 : 1))
          .map(([slot, value]) => `${slot}=${value.toString(16)}`)
        return [address, `balance ${balance} nonce ${nonce} code ${code} storage ${slots.join(' ')}`]
      }),
  )
}

export const addressText = (address: bigint) => address.toString(16).padStart(40, '0')
export const slotText = (slot: bigint) => slot.toString(16).padStart(64, '0')
