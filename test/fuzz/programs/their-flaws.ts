import type { Case } from './case.ts'
import { runOurs } from './ours.ts'

const designator = 0xef

/**
 * Does a case meet what @ethereumjs/evm 10.1.3 gets wrong? When a constructor reverts with bytes that begin with 0xEF,
 * it takes them for code that may not be left (EIP-3541) and burns all gas.
 */
export function meetsTheirFlaw(given: Case): boolean {
  let met = false
  runOurs(given, {
    leave({ kind }, outcome) {
      const isCreation = kind === 'create' || kind === 'create2'
      if (isCreation && outcome.kind === 'reverted' && outcome.output[0] === designator) met = true
    },
  })
  return met
}
