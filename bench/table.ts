import type { Pairing } from './measure.ts'

/** A Markdown table, ready for bench/README.md. */
export function formatTable(pairings: readonly Pairing[]): string {
  const rows = pairings.map(
    ({ what, ours, theirs, library, ratio }) =>
      `| ${what} | ${ours.toFixed(1)} µs | ${theirs.toFixed(1)} µs (${library}) | ${ratio.toFixed(1)}× |`,
  )
  return ['| what | Tandem | library | ratio |', '|---|---|---|---|', ...rows, ''].join('\n')
}
