import type { ChainWatch } from './chain-watch.ts'
import type { Sample } from './samples.ts'
import { median, slope } from './statistics.ts'
import type { Send } from './traffic.ts'

/** What a run has to keep, and how it did. */
export type Promised = { what: string; kept: boolean; found: string }

/** min in which caches, pools and the compiler's tiers fill; a sixth of shorter runs */
const warmUp = 10
/**
 * How much the median of the last third of what follows may be above the first third's. A garbage collector's resident
 * memory swings by a few per cent; what leaks at 20 operations a second shows within the hour.
 */
const memoryGrowth = 0.1
/** Same for the file, whose free pages come and go with the pruning. */
const fileGrowth = 0.15
/** Less than this share of the asked rate says that the machine was too slow for the figures to mean anything. */
const leastRate = 0.95

const minute = 60_000
const hour = 60 * minute

export function judge(run: {
  minutes: number
  rate: number
  started: number
  sends: readonly Send[]
  samples: readonly Sample[]
  watch: Pick<ChainWatch, 'included' | 'reverted' | 'bundles'>
  exitCode: number
  isFileBounded: boolean
}): Promised[] {
  const { minutes, rate, started, sends, watch, exitCode } = run
  const refused = sends.filter(({ hash }) => hash === undefined)
  const inclusions = sends.flatMap(({ hash }) => (hash === undefined ? [] : [watch.included.get(hash)]))
  const lost = inclusions.filter((inclusion) => inclusion === undefined).length
  const unsuccessful = inclusions.filter((inclusion) => inclusion?.success === false).length
  const begin = started + Math.min(warmUp, minutes / 6) * minute
  const steady = run.samples.filter(({ at }) => at >= begin && at <= started + minutes * minute)
  const memory = steady.map(({ at, memory }) => ({ x: at / hour, y: memory }))
  const file = steady.flatMap(({ at, file }) =>
    file === undefined ? [] : [{ x: at / hour, y: file / 2 ** 20 }],
  )
  const asked = rate * minutes * 60
  return [
    {
      what: 'the rate was kept',
      kept: sends.length >= leastRate * asked,
      found: `${sends.length} of ${asked} sent`,
    },
    {
      what: 'no operation was refused',
      kept: refused.length === 0,
      found: `${refused.length} refused${refused[0] === undefined ? '' : `, such as: ${refused[0].error}`}`,
    },
    {
      what: 'every operation was included, and succeeded',
      kept: lost === 0 && unsuccessful === 0,
      found: `${inclusions.length - lost} of ${inclusions.length} included, ${unsuccessful} without success`,
    },
    {
      what: 'no bundle reverted',
      kept: watch.reverted.length === 0,
      found: `${watch.reverted.length} of ${watch.bundles}${watch.reverted[0] === undefined ? '' : `, such as ${watch.reverted[0]}`}`,
    },
    flat('memory', memory, memoryGrowth),
    ...(run.isFileBounded ? [flat('database', file, fileGrowth)] : []),
    { what: 'it stopped cleanly when asked to', kept: exitCode === 0, found: `exit code ${exitCode}` },
  ]
}

type Point = { x: number; y: number }

function flat(what: string, points: readonly Point[], allowed: number): Promised {
  const third = Math.floor(points.length / 3)
  const middle = (part: readonly Point[]) => median(part.map(({ y }) => y))
  const [before, after] = [middle(points.slice(0, third)), middle(points.slice(-third))]
  const growth = slope(points)
  return {
    what: `${what} stays flat after the warm-up (at most ${allowed * 100} % more at the end)`,
    kept: after <= before * (1 + allowed),
    found: `${before.toFixed(1)} → ${after.toFixed(1)} MB, ${growth >= 0 ? '+' : ''}${growth.toFixed(1)} MB/h`,
  }
}
