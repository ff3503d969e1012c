import type { EstimateFigures } from './measure.ts'

/** A Markdown table: per operation and bundler the limits ÷ what is used of them, and what became of it. */
export function formatEstimates(figures: ReadonlyMap<string, readonly EstimateFigures[]>): string {
  const head = ['operation', 'bundler', 'verification', 'paymaster', 'call', 'estimate takes', 'sent with it']
  const names = [...figures.values()][0]?.map(({ name }) => name) ?? []
  const rows = names.flatMap((name) =>
    [...figures].map(([bundler, ofBundler]) => {
      const one = ofBundler.find((each) => each.name === name)
      return [name, bundler, ...cells(one)]
    }),
  )
  return [head, head.map(() => '---'), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')
    .concat('\n')
}

function cells(one: EstimateFigures | undefined): string[] {
  if (one === undefined) return ['–', '–', '–', '–', 'not asked']
  const { verification, paymaster, execution, latency, outcome } = one
  const ratio = (value: number | undefined): string =>
    value === undefined || Number.isNaN(value) ? '–' : `${value.toFixed(2)}×`
  return [
    ratio(verification),
    ratio(paymaster),
    ratio(execution),
    Number.isNaN(latency) ? '–' : `${latency.toFixed(1)} ms`,
    outcome,
  ]
}
