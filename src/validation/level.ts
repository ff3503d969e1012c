import { type ValidationLevel, type Verdict, validationLevels } from '../types/verdict.ts'

/** Whether an operation was accepted with less scrutiny than the chain's operator asks for. */
export function isTooWeak(verdict: Verdict, lowest: ValidationLevel): boolean {
  const rank = (level: ValidationLevel): number => validationLevels.indexOf(level)
  return verdict.kind === 'accepted' && rank(verdict.facts.level) < rank(lowest)
}

/** An acceptance that is too weak is none, and says nothing against the operation either. */
export function withLevel(verdict: Verdict, lowest: ValidationLevel): Verdict {
  if (verdict.kind !== 'accepted' || !isTooWeak(verdict, lowest)) return verdict
  return { kind: 'unknown', cause: `validation was ${verdict.facts.level} at most, and must be ${lowest}` }
}
