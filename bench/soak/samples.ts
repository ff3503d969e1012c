import { statSync } from 'node:fs'
import { costOf } from '../load/process-cost.ts'

/** s between looks */
const interval = 5

/** What the processes take at one moment, `at` ms of `performance.now`. */
export type Sample = {
  at: number
  /** MB resident */
  memory: number
  nodeMemory: number
  /** ms of processor time so far */
  cpu: number
  /** bytes of the database, its log of writes included; `undefined` when it is not a file */
  file: number | undefined
  /** calls to the node so far */
  nodeCalls: number
}

export type Sampler = { readonly samples: readonly Sample[]; stop(): void }

/** Looks at the processes every few seconds until it is stopped, or the bundler is gone. */
export function startSampler(sources: {
  pid: number
  nodePid: number
  file: string | undefined
  nodeCalls: () => number
}): Sampler {
  const samples: Sample[] = []
  const look = () => {
    const own = costOf(sources.pid)
    samples.push({
      at: performance.now(),
      memory: own.memoryMb,
      nodeMemory: costOf(sources.nodePid).memoryMb,
      cpu: own.cpuMs,
      file: sources.file === undefined ? undefined : databaseSize(sources.file),
      nodeCalls: sources.nodeCalls(),
    })
  }
  look()
  const timer = setInterval(() => {
    try {
      look()
    } catch {
      // It is gone; whoever sends to it finds out.
      clearInterval(timer)
    }
  }, interval * 1000)
  return { samples, stop: () => clearInterval(timer) }
}

function databaseSize(path: string): number {
  return ['', '-wal', '-shm']
    .map((suffix) => statSync(`${path}${suffix}`, { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0)
}
