import type { ChainSettings } from './schemas/chain.ts'

type Settings = Pick<ChainSettings, 'minSignerBalance' | 'topUpBelow' | 'topUpTo' | 'topUpDailyLimit'>

/** A relayer is topped up before it has to pause, and seldom: at twice what it needs, to twice that. */
const times = 2n
/** A day's worth: five top-ups of one relayer. More means that something drains it. */
const dailyTimes = 10n

/** When and how far relayers are topped up, with the defaults that follow from `minSignerBalance`; wei. */
export function topUpsOf({ minSignerBalance, topUpBelow, topUpTo, topUpDailyLimit }: Settings) {
  const below = topUpBelow ?? times * minSignerBalance
  return {
    below,
    to: topUpTo ?? times * below,
    dailyLimit: topUpDailyLimit ?? dailyTimes * minSignerBalance,
  }
}
