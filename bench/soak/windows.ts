import type { ChainWatch } from './chain-watch.ts'
import type { Sample } from './samples.ts'
import { median, quantile } from './statistics.ts'
import { inclusionsOf, isAccepted, type Send } from './traffic.ts'

/** A part of the run: the valid operations of it, and what became of them. Latencies in ms, memory and file in MB. */
export type Window = {
  /** min since the start */
  from: number
  until: number
  sent: number
  /** sent besides, with something wrong */
  hostile: number
  refused: number
  included: number
  acceptP50: number
  acceptP99: number
  inclusionP50: number
  inclusionP99: number
  memory: number
  nodeMemory: number
  /** at its end; NaN when the database is no file */
  file: number
  nodeCallsPerOperation: number
  /** ms an operation */
  cpu: number
}

const minute = 60_000
const megabyte = 1024 * 1024

/** What was measured, from `started` on. */
export type Measured = {
  started: number
  sends: readonly Send[]
  samples: readonly Sample[]
  watch: Pick<ChainWatch, 'included'>
}

/** The run in parts of `minutes`. */
export function windowsOf(measured: Measured, minutes: number, of: number): Window[] {
  return Array.from({ length: Math.ceil(minutes / of) }, (_, index) =>
    windowOf(measured, index * of, Math.min(minutes, (index + 1) * of)),
  )
}

export function windowOf({ started, sends, samples, watch }: Measured, from: number, until: number): Window {
  const isIn = (at: number) => at >= started + from * minute && at < started + until * minute
  const all = sends.filter(({ sentAt }) => isIn(sentAt))
  const here = all.filter(({ kind }) => kind === 'valid')
  const looks = samples.filter(({ at }) => isIn(at))
  const before = samples.findLast(({ at }) => at <= started + from * minute)
  const [first, last] = [before ?? looks[0], looks.at(-1)]
  const accepts = here.map(({ sentAt, answeredAt }) => answeredAt - sentAt)
  const inclusions = here.flatMap((send) =>
    inclusionsOf(send, watch.included).map(({ at }) => at - send.sentAt),
  )
  const perOperation = (of: (sample: Sample) => number) =>
    first && last
      ? (of(last) - of(first)) / sends.filter(({ sentAt }) => isBetween(sentAt, first, last)).length
      : Number.NaN
  return {
    from,
    until,
    sent: here.length,
    hostile: all.length - here.length,
    refused: here.length - here.filter(isAccepted).length,
    included: inclusions.length,
    acceptP50: median(accepts),
    acceptP99: quantile(accepts, 0.99),
    inclusionP50: median(inclusions),
    inclusionP99: quantile(inclusions, 0.99),
    memory: median(looks.map(({ memory }) => memory)),
    nodeMemory: median(looks.map(({ nodeMemory }) => nodeMemory)),
    file: (last?.file ?? Number.NaN) / megabyte,
    nodeCallsPerOperation: perOperation(({ nodeCalls }) => nodeCalls),
    cpu: perOperation(({ cpu }) => cpu),
  }
}

const isBetween = (at: number, first: Sample, last: Sample): boolean => at >= first.at && at < last.at
