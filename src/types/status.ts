import type { Address, Hash } from 'viem'
import type { ErrorWire } from '../base/errors.ts'
import type { ValidationLevel } from './verdict.ts'

/** Where an acknowledged operation is (architecture.md §2). Times are ms since 1970. */
export type OperationState =
  /** waits for an earlier nonce of its key */
  | { kind: 'queued' }
  | { kind: 'pending' }
  | { kind: 'bundled'; bundleId: string }
  | { kind: 'submitted'; bundleId: string; transactionHash: Hash }
  | { kind: 'included'; success: boolean; transactionHash: Hash; blockNumber: number; blockHash: Hash }
  | { kind: 'dropped'; reason: ErrorWire }
  | { kind: 'expired'; reason: ErrorWire }
  | { kind: 'replaced'; by: Hash }

export type OperationStateKind = OperationState['kind']

/** Final unless a reorg undoes it. */
export function isFinal(state: OperationState): boolean {
  switch (state.kind) {
    case 'included':
    case 'dropped':
    case 'expired':
    case 'replaced':
      return true
    case 'queued':
    case 'pending':
    case 'bundled':
    case 'submitted':
      return false
  }
}

/** One step in the life of an operation, as it is stored and pushed to subscribers. */
export type StateChange = {
  chainId: number
  entryPoint: Address
  hash: Hash
  sender: Address
  state: OperationState
  at: number
}

/** `bundler_getUserOperationStatus`. */
export type OperationStatus = StateChange & {
  validationLevel: ValidationLevel | undefined
  /** When each state was last entered. */
  timestamps: Partial<Record<OperationStateKind | 'received', number>>
}
