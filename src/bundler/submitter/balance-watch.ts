import type { BalanceReader } from '../../chain/balances.ts'
import type { Book } from './book.ts'
import { isLow } from './line.ts'

/** ms between looks at balances that nothing is known to have changed: somebody may take from them, or give. */
const interval = 10_000

/** Keeps the balances of a book's lines. */
export type BalanceWatch = {
  /** Reads those that a transaction changed, those that wait to be topped up, and now and then all. @throws Unavailable */
  look(): Promise<void>
}

export function createBalanceWatch(
  { lines, chain }: Book,
  { balances, now }: { balances: BalanceReader; now: () => number },
): BalanceWatch {
  const { minSignerBalance, funding } = chain
  const least = funding === undefined || funding.below < minSignerBalance ? minSignerBalance : funding.below
  let allReadAt = now()
  return {
    async look() {
      const isDue = now() - allReadAt >= interval
      const wanted = [...lines.values()].filter((line) => isDue || line.balanceIsStale || isLow(line, least))
      const found = await balances.read(
        wanted.map(({ address: account }) => ({ account })),
        'latest',
      )
      if (isDue) allReadAt = now()
      for (const [index, line] of wanted.entries()) {
        const balance = found[index]
        if (balance === undefined) continue
        line.balance = balance
        line.balanceIsStale = false
        if (line.refusedAt !== undefined && line.balance > line.refusedAt) line.refusedAt = undefined
      }
    },
  }
}
