/** Bundles that could be made now; those of one line wait for each other, those of different lines compete. */
type Candidate<Line> = { line: Line; entries: readonly unknown[] }

/** Doublings after which a line comes before any other of a bundle's size. */
const mostDoublings = 20

/**
 * Who goes next, when there are fewer relayers than bundles: the largest, but a line counts for twice as much each time
 * that it is passed over, so that a busy one keeps a quiet one back for a few bundles at most.
 */
export function createTurns<Line>() {
  const passedOver = new Map<Line, number>()
  const weight = ({ line, entries }: Candidate<Line>): number =>
    entries.length * 2 ** Math.min(passedOver.get(line) ?? 0, mostDoublings)

  return <C extends Candidate<Line>>(candidates: readonly C[]): C | undefined => {
    const [first, ...others] = candidates
    if (first === undefined) return undefined
    const chosen = others.reduce((best, next) => (weight(next) > weight(best) ? next : best), first)
    for (const { line } of candidates) passedOver.set(line, (passedOver.get(line) ?? 0) + 1)
    passedOver.delete(chosen.line)
    return chosen
  }
}
