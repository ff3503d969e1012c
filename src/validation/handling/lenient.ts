import type { Observer } from '../../evm/observer.ts'
import type { Outcome } from '../../evm/outcome.ts'
import { wordOf } from '../../evm/word.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import { phaseStartOf } from '../rules/entry-point-frames.ts'
import { alwaysValid, parseValidationData, type ValidationData } from '../validation-data.ts'

/** What account and paymaster answered to validation. */
export type Answers = { account: ValidationData; paymaster: ValidationData }

/** bytes in what a paymaster returns: the offset of its context, then its validation data */
const behindOffset = 32
const wordSize = 32

/**
 * The EntryPoint takes every signature and every time for right, as if the operation were signed and due: what account
 * and paymaster really answered is kept aside. This one changes the run that it watches, so it must come last.
 */
export function createLeniency(version: EntryPointVersion): { observer: Observer; answers: Answers } {
  const answers: Answers = { account: alwaysValid, paymaster: alwaysValid }
  return {
    answers,
    observer: {
      leave(frame, outcome) {
        if (frame.depth !== 1) return
        const start = phaseStartOf(version, frame)
        if (start?.isValidation) answers.account = validated(outcome, 0)
        else if (start?.entity === 'paymaster') answers.paymaster = validated(outcome, behindOffset)
      },
    },
  }
}

/** Takes the validation data out of an answer that is long enough to have one. */
function validated(outcome: Outcome, place: number): ValidationData {
  if (outcome.kind !== 'returned' || outcome.output.length < place + wordSize) return alwaysValid
  const word = outcome.output.subarray(place, place + wordSize)
  const data = parseValidationData(wordOf(word))
  word.fill(0)
  return data
}
