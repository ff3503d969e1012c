import type { Figures } from './measure.ts'

/** Columns of the report, and which way is better. */
const rows: readonly { name: string; field: keyof Figures; unit: string; better: 'more' | 'less' }[] = [
  { name: 'start until it answers', field: 'startSeconds', unit: 's', better: 'less' },
  { name: 'accepted, 32 clients at once', field: 'acceptedPerSecond', unit: 'ops/s', better: 'more' },
  { name: 'included, as fast as it goes', field: 'includedPerSecond', unit: 'ops/s', better: 'more' },
  { name: 'accept latency at the fixed rate, p50', field: 'acceptP50', unit: 'ms', better: 'less' },
  { name: 'accept latency at the fixed rate, p99', field: 'acceptP99', unit: 'ms', better: 'less' },
  { name: 'sent → included at the fixed rate, p50', field: 'inclusionP50', unit: 'ms', better: 'less' },
  { name: 'sent → included at the fixed rate, p99', field: 'inclusionP99', unit: 'ms', better: 'less' },
  { name: 'bundler CPU an operation', field: 'cpuMsPerOperation', unit: 'ms', better: 'less' },
  { name: 'node CPU an operation', field: 'nodeCpuMsPerOperation', unit: 'ms', better: 'less' },
  { name: 'node calls an operation', field: 'nodeCallsPerOperation', unit: '', better: 'less' },
  { name: '… in so many requests', field: 'nodeRequestsPerOperation', unit: '', better: 'less' },
  { name: 'memory afterwards', field: 'memoryMb', unit: 'MB', better: 'less' },
  { name: 'refused or lost', field: 'lost', unit: '', better: 'less' },
]

/** A Markdown table; beside another bundler with ratios, above 1 when ours is ahead. */
export function formatLoad(ours: Figures, other?: { name: string; figures: Figures }): string {
  const head = other === undefined ? ['', 'Tandem'] : ['', 'Tandem', other.name, 'ratio']
  const lines = rows.map(({ name, field, unit, better }) => {
    const cells = [name, shown(ours[field], unit)]
    if (other === undefined) return cells
    const theirs = other.figures[field]
    const ratio = better === 'less' ? theirs / ours[field] : ours[field] / theirs
    return [...cells, shown(theirs, unit), Number.isFinite(ratio) ? `${ratio.toFixed(1)}×` : '–']
  })
  return [head, head.map(() => '---'), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
    .concat('\n')
}

function shown(value: number, unit: string): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
  return `${value.toFixed(Number.isInteger(value) ? 0 : digits)} ${unit}`.trim()
}
