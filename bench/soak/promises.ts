import { type Waits, waitsOf } from './blocks.ts'
import type { ChainWatch } from './chain-watch.ts'
import type { Sample } from './samples.ts'
import { median, slope } from './statistics.ts'
import { inclusionsOf, isAccepted, type Send } from './traffic.ts'

/** What a run has to keep, and how it did. */
export type Promised = { what: string; kept: boolean; found: string }

/** min in which caches, pools and the compiler's tiers fill; a sixth of shorter runs */
const warmUp = 10
/**
 * How much the median of the last third of what follows may be above the first third's. A garbage collector's resident
 * memory swings by a few per cent; what leaks at 20 operations a second shows within the hour.
 */
const memoryGrowth = 0.1
/** A file may be larger than its history by this share, for what comes between two prunings, and by its log of writes. */
const fileExcess = 0.25
const logSize = 16
/** Runs of fewer minutes are all warm-up: they say nothing about growth. */
const leastMinutes = 15
/** Less than this share of the asked rate says that the machine was too slow for the figures to mean anything. */
const leastRate = 0.95
/** Blocks that valid operations may wait longer beside hostile ones, at the median and at the 99th percentile. */
const patience = { median: 1, p99: 2 }

const minute = 60_000
const hour = 60 * minute

export type Run = {
  minutes: number
  rate: number
  started: number
  sends: readonly Send[]
  samples: readonly Sample[]
  watch: Pick<ChainWatch, 'included' | 'reverted' | 'bundles'>
  exitCode: number
  /** MiB that the database may keep */
  history: number
  /** How long valid operations waited without hostile ones beside them; `undefined` when it was not measured. */
  undisturbed: Waits | undefined
}

export function judge(run: Run): Promised[] {
  const { minutes, rate, sends, watch, exitCode } = run
  const valid = sends.filter(({ kind }) => kind === 'valid')
  const replaced = sends.filter(({ kind }) => kind === 'replaced')
  const refused = [...valid, ...replaced].filter((send) => !isAccepted(send))
  const asked = rate * minutes * 60
  return [
    {
      what: 'the rate was kept',
      kept: sends.length >= leastRate * asked,
      found: `${sends.length} of ${asked} sent`,
    },
    {
      what: 'no valid operation was refused',
      kept: refused.length === 0,
      found: `${refused.length} refused${suchAs(refused[0]?.errors[0])}`,
    },
    includedOnce('valid operation', valid, watch),
    ...(replaced.length > 0 ? [includedOnce('replaced operation', replaced, watch)] : []),
    {
      what: 'no bundle reverted',
      kept: watch.reverted.length === 0,
      found: `${watch.reverted.length} of ${watch.bundles}${suchAs(watch.reverted[0])}`,
    },
    ...(run.undisturbed === undefined ? [] : [undelayed(run.undisturbed, waitsOf(sends, watch))]),
    ...(minutes < leastMinutes ? [] : [flatMemory(run)]),
    ...boundedFile(run),
    { what: 'it stopped cleanly when asked to', kept: exitCode === 0, found: `exit code ${exitCode}` },
  ]
}

function includedOnce(
  what: string,
  sends: readonly Send[],
  { included }: Pick<ChainWatch, 'included'>,
): Promised {
  const accepted = sends.filter(isAccepted)
  const once = accepted.filter((send) => {
    const inclusions = inclusionsOf(send, included)
    return inclusions.length === 1 && inclusions.every(({ success }) => success)
  })
  return {
    what: `every ${what} was included once, and succeeded`,
    kept: once.length === accepted.length,
    found: `${once.length} of ${accepted.length}`,
  }
}

function undelayed(alone: Waits, beside: Waits): Promised {
  return {
    what: `no valid sender waits for a hostile one (${patience.median} block more at the median, ${patience.p99} at p99)`,
    kept: beside.median <= alone.median + patience.median && beside.p99 <= alone.p99 + patience.p99,
    found: `blocks until included, p50/p99/most: ${shown(alone)} without, ${shown(beside)} beside them`,
  }
}

const shown = ({ median, p99, most }: Waits): string => `${median}/${p99}/${most}`

function flatMemory({ minutes, started, samples }: Run): Promised {
  const begin = started + Math.min(warmUp, minutes / 6) * minute
  const steady = samples.filter(({ at }) => at >= begin && at <= started + minutes * minute)
  const third = Math.floor(steady.length / 3)
  const middle = (part: readonly Sample[]) => median(part.map(({ memory }) => memory))
  const [before, after] = [middle(steady.slice(0, third)), middle(steady.slice(-third))]
  const growth = slope(steady.map(({ at, memory }) => ({ x: at / hour, y: memory })))
  return {
    what: `memory stays flat after the warm-up (at most ${memoryGrowth * 100} % more in its last third than in its first)`,
    kept: after <= before * (1 + memoryGrowth),
    found: `${before.toFixed(1)} → ${after.toFixed(1)} MB, ${growth >= 0 ? '+' : ''}${growth.toFixed(1)} MB/h`,
  }
}

function boundedFile({ samples, history }: Run): Promised[] {
  const sizes = samples.flatMap(({ file }) => (file === undefined ? [] : [file / 2 ** 20]))
  if (sizes.length === 0) return []
  const [most, allowed] = [Math.max(...sizes), history * (1 + fileExcess) + logSize]
  return [
    {
      what: `the database stays within its history of ${history} MiB`,
      kept: most <= allowed,
      found: `${most.toFixed(1)} MiB at most, its log included; ${allowed.toFixed(0)} allowed`,
    },
  ]
}

const suchAs = (example: string | undefined): string => (example === undefined ? '' : `, such as: ${example}`)
