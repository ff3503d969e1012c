import type { Charge } from '../../types/ports/meter.ts'

/** What the calls of one HTTP request cost. */
export type Bill = {
  add(charge: Charge): void
  /** What a call was charged that failed by a fault of ours. */
  takeBack(cost: number): void
  /** `x-credits-cost`, `x-credits-remaining`; none where nothing was metered. */
  headers(): Readonly<Record<string, string>>
}

export function createBill(): Bill {
  let sum: Charge | undefined
  return {
    add(charge) {
      sum = { cost: (sum?.cost ?? 0) + charge.cost, remaining: charge.remaining }
    },
    takeBack(cost) {
      if (sum === undefined) return
      const { remaining } = sum
      sum = { cost: sum.cost - cost, remaining: remaining === undefined ? undefined : remaining + cost }
    },
    headers: (): Readonly<Record<string, string>> =>
      sum === undefined
        ? {}
        : {
            'x-credits-cost': String(sum.cost),
            'x-credits-remaining': sum.remaining === undefined ? 'unlimited' : String(sum.remaining),
          },
  }
}
