import type { Word } from '../../evm/word.ts'
import type { ValidationScope } from '../../types/verdict.ts'
import { addressHex, wordHex } from '../state/hex.ts'
import { associationIn } from './associated.ts'
import type { OperationFacts } from './facts.ts'

/** What is kept of the facts once an operation is accepted. */
export function scopeOf(facts: OperationFacts): ValidationScope {
  return {
    associated: associatedContracts(facts).map(addressHex),
    codes: facts.codes.map(({ address, hash }) => ({ address: addressHex(address), hash: wordHex(hash) })),
    contextSize: facts.contextSize,
    gasByPhase: facts.phases.map(({ gasUsed }) => gasUsed),
  }
}

/** Contracts with storage that is associated with the account, or with the entity whose phase used it. */
function associatedContracts({ parties, phases, hashed }: OperationFacts): readonly Word[] {
  const association = associationIn(hashed)
  const contracts = phases.flatMap((phase) =>
    phase.storage
      .filter(({ contract, slot }) => {
        if (contract === parties.account || contract === phase.address) return false
        return association(parties.account, slot) || association(phase.address, slot)
      })
      .map(({ contract }) => contract),
  )
  return [...new Set(contracts)]
}
