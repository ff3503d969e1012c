import type { Window } from './windows.ts'

const columns: readonly { name: string; cell: (window: Window) => string }[] = [
  { name: 'min', cell: ({ from, until }) => `${round(from)}–${round(until)}` },
  { name: 'sent', cell: ({ sent }) => String(sent) },
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
  return [columns.map(({ name }) => name), columns.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('')
}

/** One line while it runs. */
export function formatProgress(window: Window): string {
  const cells = columns.slice(1).map(({ name, cell }) => `${name} ${cell(window)}`)
  return `${new Date().toISOString().slice(11, 19)}  minute ${round(window.until)}: ${cells.join('; ')}\n`
}

const round = (minutes: number): string => String(Number(minutes.toFixed(1)))
