import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Holder } from './lease.ts'

export function thisProcess(): Holder {
  const { pid } = process
  const [place, started] = [here(), statusOf(pid)?.started]
  const told = place !== undefined && started !== undefined
  return { host: hostname(), pid, process: told ? `${place} ${started}` : undefined }
}

/**
 * Whether a process of this machine's present boot and of the same pid namespace has ended. A pid that was given to
 * another process since has another time of start. Where that cannot be told (another machine, a system without
 * /proc), it may live.
 */
export function isDead(holder: Holder): boolean {
  const place = here()
  if (place === undefined || !holder.process?.startsWith(`${place} `)) return false
  if (!exists(holder.pid)) return true
  const status = statusOf(holder.pid)
  return status !== undefined && (status.ended || holder.process !== `${place} ${status.started}`)
}

/** Where pids mean the same: one boot of one kernel, one namespace. */
function here(): string | undefined {
  return orUndefined(() => {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  })
}

/** Signal 0 is not sent, only looked whether it could be; another user's process may not be signalled, but is there. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

/** Of the fields of /proc/PID/stat after the command's name: the state, and the ticks from the boot to the start. */
const stateField = 0
const startField = 19

/** A zombie has ended and waits for its parent to look at it. */
function statusOf(pid: number): { started: string; ended: boolean } | undefined {
  return orUndefined(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const started = fields[startField]
    if (started === undefined) return undefined
    return { started, ended: fields[stateField] === 'Z' || fields[stateField] === 'X' }
  })
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
