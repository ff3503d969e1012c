import type { ErrorData } from '../base/errors.ts'
import { PaymasterError } from './paymaster-error.ts'

/** 400 with the text that clients know. @param details what is wrong; `more`: where, for programs */
export const invalidData = (details: string, more: ErrorData = {}): PaymasterError =>
  new PaymasterError('invalid', 'invalid_data', 'Invalid data provided', { details, ...more })
