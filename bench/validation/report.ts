/** A figure, and the goal for it where there is one. */
export type Figure = {
  what: string
  measured: number
  unit: string
  /** The goal, as a bound from above or from below. */
  most?: number
  least?: number
}

/** A Markdown table. */
export function formatValidation(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { what, measured, unit } = figure
    return `| ${what} | ${shown(measured, unit)} | ${goalOf(figure)} |`
  })
  return ['| SimpleAccount 0.7, all rules | Tandem | goal |', '| --- | --- | --- |', ...rows, ''].join('\n')
}

function goalOf({ measured, unit, most, least }: Figure): string {
  if (most !== undefined) return `${measured <= most ? '' : 'missed: '}≤ ${shown(most, unit)}`
  if (least !== undefined) return `${measured >= least ? '' : 'missed: '}≥ ${shown(least, unit)}`
  return ''
}

function shown(value: number, unit: string): string {
  const digits = Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2
  return `${value.toFixed(digits)} ${unit}`.trim()
}
