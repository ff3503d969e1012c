import type { Word } from '../../evm/word.ts'
import { associationIn } from './associated.ts'
import type { OperationFacts } from './facts.ts'

/**
 * STO-041: contracts in which the operation uses storage that is associated with its account or with one of its
 * entities. None of them may be the sender of another operation in the mempool or in the bundle.
 */
export function associatedContracts({ parties, phases, hashed }: OperationFacts): readonly Word[] {
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
