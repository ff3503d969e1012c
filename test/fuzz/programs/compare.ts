import type { Case } from './case.ts'
import { runOurs } from './ours.ts'
import { runTheirs } from './theirs.ts'
import type { Verdict } from './verdict.ts'

/** The parts of the two verdicts that differ; `undefined`: none. */
export type Difference = { readonly ours: Partial<Verdict>; readonly theirs: Partial<Verdict> }

export async function compare(given: Case): Promise<Difference | undefined> {
  const [ours, theirs] = [runOurs(given), await runTheirs(given)]
  const keys = (Object.keys(ours) as (keyof Verdict)[]).filter(
    (key) => !Bun.deepEquals(ours[key], theirs[key], true),
  )
  if (keys.length === 0) return undefined
  const only = (verdict: Verdict) => Object.fromEntries(keys.map((key) => [key, verdict[key]]))
  return { ours: only(ours), theirs: only(theirs) }
}
