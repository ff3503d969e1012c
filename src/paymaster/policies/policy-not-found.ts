import { PaymasterError } from '../paymaster-error.ts'

/** For an id that is unknown, malformed or another tenant's alike, so that nobody learns which ids there are. */
export const policyNotFound = (): PaymasterError =>
  new PaymasterError('not-found', 'policy_not_found', 'Sponsorship policy not found')
