import { numberToHex } from 'viem'
import type { Json } from '../base/errors.ts'
import type { Verdict } from '../types/verdict.ts'

/** The result of `bundler_explainUserOperation`. */
export function formatExplanation(verdict: Verdict): Json {
  switch (verdict.kind) {
    case 'rejected':
      return { verdict: 'rejected', error: verdict.error }
    case 'unknown':
      return { verdict: 'unknown' }
    case 'accepted': {
      const { facts } = verdict
      return {
        verdict: 'accepted',
        validationLevel: facts.level,
        block: { number: numberToHex(facts.block.number), hash: facts.block.hash },
        gas: { preOpGas: numberToHex(facts.preOpGas), prefund: numberToHex(facts.prefund) },
        ...(facts.validAfter === undefined ? {} : { validAfter: numberToHex(facts.validAfter) }),
        ...(facts.validUntil === undefined ? {} : { validUntil: numberToHex(facts.validUntil) }),
      }
    }
  }
}
