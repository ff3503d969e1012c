import type { Address, Hash } from 'viem'
import { PaymasterError } from '../paymaster-error.ts'

/** @param amount wei that were to be paid besides gas */
export const balanceTooLow = (wallet: Address, amount: bigint): PaymasterError =>
  new PaymasterError(
    'refused',
    'balance_too_low',
    amount > 0n
      ? `${wallet} Balance is less than the amount to be deposited`
      : `${wallet} Balance is too low to pay for the gas`,
  )

export const alreadyDeployed = (paymaster: Address): PaymasterError =>
  new PaymasterError('refused', 'already_deployed', `Verifying paymaster already deployed at ${paymaster}`)

/** Its deployment is accepted and not in a block: a call now would reach nobody. */
export const notMinedYet = (paymaster: Address): PaymasterError =>
  new PaymasterError('refused', 'paymaster_not_mined', `The paymaster ${paymaster} is not in a block yet`)

export const unsupportedVersion = (): PaymasterError =>
  new PaymasterError('invalid', 'unsupported_version', 'Unsupported entry point version')

export const wouldRevert = (reason: string): PaymasterError =>
  new PaymasterError('refused', 'transaction_reverts', `The transaction would revert: ${reason}`)

export const hasReverted = (transaction: Hash): PaymasterError =>
  new PaymasterError('refused', 'transaction_reverted', `The transaction ${transaction} was reverted`)

export const notTaken = (): PaymasterError =>
  new PaymasterError('refused', 'transaction_refused', 'The transaction was refused by the chain')

export const abandoned = (transaction: Hash): PaymasterError =>
  new PaymasterError(
    'refused',
    'transaction_abandoned',
    `The transaction ${transaction} could not be mined and was given up`,
  )
