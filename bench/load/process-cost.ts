import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts processor time in ticks of 10 ms. */
const msPerTick = 10

/** What a process and its children have used so far. */
export type Cost = { cpuMs: number; memoryMb: number }

/** From /proc; Linux only. */
export function costOf(pid: number): Cost {
  const own = readCost(pid)
  return childrenOf(pid).map(costOf).reduce(add, own)
}

const add = (a: Cost, b: Cost): Cost => ({ cpuMs: a.cpuMs + b.cpuMs, memoryMb: a.memoryMb + b.memoryMb })

function readCost(pid: number): Cost {
  // The name of the program may hold spaces; what follows its parenthesis does not.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * msPerTick,
    memoryMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024,
  }
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
}
