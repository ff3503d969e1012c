import type { ChainWatch } from './chain-watch.ts'
import { inclusionsOf, isAccepted, type Send } from './traffic.ts'
import type { Window } from './windows.ts'

const columns: readonly { name: string; cell: (window: Window) => string }[] = [
  { name: 'min', cell: ({ from, until }) => `${round(from)}–${round(until)}` },
  { name: 'sent', cell: ({ sent }) => String(sent) },
  { name: 'hostile', cell: ({ hostile }) => String(hostile) },
  { name: 'included', cell: ({ included }) => String(included) },
  { name: 'refused', cell: ({ refused }) => String(refused) },
  { name: 'accept p50/p99, ms', cell: (w) => `${w.acceptP50.toFixed(1)}/${w.acceptP99.toFixed(0)}` },
  { name: 'inclusion p50/p99, ms', cell: (w) => `${w.inclusionP50.toFixed(0)}/${w.inclusionP99.toFixed(0)}` },
  { name: 'memory, MB', cell: ({ memory }) => memory.toFixed(0) },
  { name: 'database, MB', cell: ({ file }) => (Number.isNaN(file) ? '–' : file.toFixed(1)) },
  { name: 'CPU/op, ms', cell: ({ cpu }) => cpu.toFixed(1) },
  { name: 'node calls/op', cell: (w) => w.nodeCallsPerOperation.toFixed(2) },
  { name: 'node, MB', cell: ({ nodeMemory }) => nodeMemory.toFixed(0) },
]

/** A Markdown table, a line for each window. */
export function formatWindows(windows: readonly Window[]): string {
  const rows = windows.map((window) => columns.map(({ cell }) => cell(window)))
  return table([columns.map(({ name }) => name), columns.map(() => '---'), ...rows])
}

/** What became of each kind of operation. */
export function formatKinds(sends: readonly Send[], { included }: Pick<ChainWatch, 'included'>): string {
  const rows = [...new Set(sends.map(({ kind }) => kind))].map((kind) => {
    const own = sends.filter((send) => send.kind === kind)
    const mined = own.filter((send) => inclusionsOf(send, included).length > 0)
    const [error = ''] = own.flatMap(({ errors }) => errors)
    return [kind, own.length, own.filter(isAccepted).length, mined.length, error].map(String)
  })
  const names = ['kind', 'sent', 'accepted', 'included', 'refused such as']
  return table([names, names.map(() => '---'), ...rows])
}

const table = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')

/** One line while it runs. */
export function formatProgress(window: Window): string {
  const cells = columns.slice(1).map(({ name, cell }) => `${name} ${cell(window)}`)
  return `${new Date().toISOString().slice(11, 19)}  minute ${round(window.until)}: ${cells.join('; ')}\n`
}

const round = (minutes: number): string => String(Number(minutes.toFixed(1)))
