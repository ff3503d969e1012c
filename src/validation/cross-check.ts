import type { Context } from '../base/context.ts'
import type { ErrorWire } from '../base/errors.ts'
import { userOperationHash } from '../types/entrypoint.ts'
import type { ValidateJob } from '../types/ports/simulator.ts'
import type { ValidationFacts, Verdict } from '../types/verdict.ts'

/** Second opinions at one time: they are worth no queue, and no node or core that judgements need. */
const mostAtOnce = 4

/** Of each sample one. Skipped: enough are under way. Unknown: an engine could not tell. */
type Outcome = 'agreed' | 'disagreed' | 'unknown' | 'skipped'

export type CrossCheck = {
  /** Maybe has `job` judged again, some time after its `verdict`, and counts whether the engines agree. */
  sample(job: ValidateJob, verdict: Verdict, share: number): void
  /** Until all second opinions that were asked for are compared. */
  settled(): Promise<void>
}

/** @param modules.chance a number from 0 to 1, without 1 */
export function createCrossCheck({
  log,
  metrics,
  secondOpinion,
  chance = Math.random,
}: Context & {
  secondOpinion: (job: ValidateJob) => Promise<Verdict>
  chance?: () => number
}): CrossCheck {
  const outcomes = metrics.counter(
    'validation_cross_checks_total',
    'Operations that both engines judged, by whether they agree.',
    ['chain', 'outcome'],
  )
  const underWay = new Set<Promise<void>>()

  return {
    sample(job, verdict, share) {
      if (chance() >= share) return
      if (underWay.size >= mostAtOnce) {
        count(job, 'skipped')
        return
      }
      const check = compare(job, verdict).finally(() => underWay.delete(check))
      underWay.add(check)
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }

  async function compare(job: ValidateJob, verdict: Verdict): Promise<void> {
    const second = await secondOpinion(job).catch((): Verdict => ({ kind: 'unknown', cause: 'no answer' }))
    const outcome = outcomeOf(verdict, second)
    count(job, outcome)
    if (outcome !== 'disagreed') return
    const hash = userOperationHash(job.op, job.chainId)
    log.error('engines disagree', { chain: job.chainId, hash, verdict: text(verdict), second: text(second) })
  }

  function count({ chainId }: ValidateJob, outcome: Outcome): void {
    outcomes.inc({ chain: chainId, outcome })
  }
}

/** Of many rules that an operation breaks engines need not find the same one first. */
function outcomeOf(one: Verdict, other: Verdict): Outcome {
  if (!isTold(one) || !isTold(other)) return 'unknown'
  if (one.kind === 'accepted' && other.kind === 'accepted')
    return Bun.deepEquals(comparable(one.facts), comparable(other.facts)) ? 'agreed' : 'disagreed'
  if (one.kind === 'rejected' && other.kind === 'rejected')
    return one.error.code === other.error.code ? 'agreed' : 'disagreed'
  return 'disagreed'
}

/** Where the rules were asked for; LIM-030 is about the EntryPoint's own gas, which traces do not always have. */
function isTold(verdict: Verdict): boolean {
  if (verdict.kind === 'accepted') return verdict.facts.level !== 'basic'
  return verdict.kind === 'rejected' && verdict.error.data?.rule !== 'LIM-030'
}

/** Of the contracts that were used, traces leave out what the operation itself created. */
function comparable({ level: _level, scope, ...facts }: ValidationFacts) {
  return { ...facts, contextSize: scope?.contextSize, gasByPhase: scope?.gasByPhase }
}

function text(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'accepted':
      return `accepted, ${verdict.facts.level}, preOpGas ${verdict.facts.preOpGas}`
    case 'rejected':
      return errorText(verdict.error)
    case 'unknown':
      return 'unknown'
  }
}

function errorText({ code, message, data }: ErrorWire): string {
  return `${code} ${message}${data?.rule === undefined ? '' : ` (${data.rule})`}`
}
