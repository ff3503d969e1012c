import type { PaymasterFigures } from './measure.ts'

const rows: readonly { name: string; field: keyof PaymasterFigures; unit: string }[] = [
  { name: 'processor time of a call, 8 clients at once', field: 'cpu', unit: 'ms' },
  { name: "the node's for it", field: 'nodeCpu', unit: 'ms' },
  { name: 'calls to the node', field: 'nodeCalls', unit: '' },
  { name: 'processor time of a call, 1 client', field: 'aloneCpu', unit: 'ms' },
  { name: 'latency, 1 client, p50', field: 'alone', unit: 'ms' },
  { name: 'latency at 200/s beside 30 operations/s, p50', field: 'p50', unit: 'ms' },
  { name: 'latency at 200/s beside 30 operations/s, p99', field: 'p99', unit: 'ms' },
  { name: '1,000 policies and 100,000 addresses to ten: latency', field: 'latencyRatio', unit: '×' },
  { name: '1,000 policies and 100,000 addresses to ten: processor time', field: 'cpuRatio', unit: '×' },
  { name: 'refused or lost', field: 'refused', unit: '' },
]

/** A Markdown table. */
export function formatPaymaster(figures: PaymasterFigures): string {
  const lines = rows.map(({ name, field, unit }) => {
    const value = figures[field]
    return `| ${name} | ${`${value.toFixed(Number.isInteger(value) ? 0 : 2)} ${unit}`.trim()} |`
  })
  return ['| pm_getPaymasterData | Tandem |', '| --- | --- |', ...lines, ''].join('\n')
}
