import { LimitExceeded, TandemError, Unavailable } from '../../base/errors.ts'
import { NodeError } from '../../chain/node-error.ts'
import { PaymasterError } from '../paymaster-error.ts'

/**
 * An error about the operation (its simulation, its estimate) as the paymaster service refuses it: the same text and
 * data. Others are given as they are: our own trouble is no refusal.
 */
export function refusalOf(error: unknown): unknown {
  if (!(error instanceof TandemError) || error instanceof PaymasterError) return error
  if (error instanceof Unavailable || error instanceof LimitExceeded || error instanceof NodeError)
    return error
  return error.code === -32602
    ? new PaymasterError('invalid', 'operation_invalid', error.message, error.data)
    : new PaymasterError('refused', 'operation_fails', error.message, error.data)
}
