import { type Address, getAddress } from 'viem'
import type { Caller } from '../../types/paymaster/tenant.ts'
import { PaymasterError } from '../paymaster-error.ts'

/** What is done is done to the caller's own. @throws PaymasterError 403 for another's wallet */
export function requireOwnWallet(named: Address, { tenant }: Caller): void {
  if (getAddress(named) === tenant.walletAddress) return
  throw new PaymasterError('forbidden', 'wrong_wallet', 'Wallet address does not match for the Api Key')
}
