import type { OpenTransaction, RelayerReport } from '../../types/ports/submitter.ts'
import { type Line, slotsOf, viewOf } from './line.ts'
import type { Slot } from './slot.ts'

/** A relayer with all that the journal holds open of it, for the operator. */
export function reportOf(line: Line, minSignerBalance: bigint): RelayerReport {
  return { ...viewOf(line, minSignerBalance), open: slotsOf(line).map(openTransaction) }
}

function openTransaction({ bundleId, nonce, operations, versions, state }: Slot): OpenTransaction {
  return {
    ...{ bundleId, nonce, operations: operations.length, state: state.kind },
    versions: versions.map(({ transaction, delivery }) => {
      const { hash, kind, maxFeePerGas, maxPriorityFeePerGas, createdAt } = transaction
      return { hash, kind, maxFeePerGas, maxPriorityFeePerGas, createdAt, delivery }
    }),
  }
}
