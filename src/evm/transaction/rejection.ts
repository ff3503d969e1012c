import { delegateOf } from '../delegation.ts'
import type { BlockEnvironment, ChainRules } from '../environment.ts'
import { isActive } from '../hardfork.ts'
import { lastNonce, mostInitCode } from '../limits.ts'
import type { State } from '../state/state.ts'
import { wordMask } from '../word.ts'
import { blobGas, hasKnownVersion, mostBlobs } from './blobs.ts'
import { floorGas, intrinsicGas } from './intrinsic-gas.ts'
import type { Transaction } from './transaction.ts'

/** Why no block may contain a transaction. */
export type Rejection =
  | 'unknown-type'
  | 'value-too-large'
  | 'gas-limit-above-block'
  | 'gas-limit-above-cap'
  | 'intrinsic-gas-too-low'
  | 'floor-gas-too-low'
  | 'init-code-too-large'
  | 'priority-fee-above-max-fee'
  | 'max-fee-below-base-fee'
  | 'nonce-too-low'
  | 'nonce-too-high'
  | 'nonce-exhausted'
  | 'sender-has-code'
  | 'insufficient-funds'
  | 'blobs-empty'
  | 'blobs-too-many'
  | 'blobs-unknown-version'
  | 'blob-fee-below-base-fee'
  | 'authorizations-empty'
  | 'creates-without-right'

/** gas (EIP-7825) */
const transactionGasCap = 2n ** 24n

export function rejectionOf(
  transaction: Transaction,
  state: State,
  chain: ChainRules,
  block: BlockEnvironment,
): Rejection | undefined {
  return (
    typeFault(transaction, chain, block) ??
    gasFault(transaction, chain, block) ??
    feeFault(transaction, block) ??
    senderFault(transaction, state, chain)
  )
}

function typeFault(
  { to, value, blobs, authorizations }: Transaction,
  { hardfork }: ChainRules,
  { blobBaseFee }: BlockEnvironment,
): Rejection | undefined {
  if (value > wordMask) return 'value-too-large'
  if (blobs !== undefined && !isActive('cancun', hardfork)) return 'unknown-type'
  if (authorizations !== undefined && !isActive('prague', hardfork)) return 'unknown-type'
  if (to === undefined && (blobs !== undefined || authorizations !== undefined))
    return 'creates-without-right'
  if (authorizations?.length === 0) return 'authorizations-empty'
  if (blobs === undefined) return undefined
  if (blobs.hashes.length === 0) return 'blobs-empty'
  if (blobs.hashes.length > mostBlobs[hardfork]) return 'blobs-too-many'
  if (!blobs.hashes.every(hasKnownVersion)) return 'blobs-unknown-version'
  return blobs.maxFeePerGas < blobBaseFee ? 'blob-fee-below-base-fee' : undefined
}

function gasFault(
  transaction: Transaction,
  { hardfork }: ChainRules,
  block: BlockEnvironment,
): Rejection | undefined {
  const { gasLimit, to, data } = transaction
  if (gasLimit > block.gasLimit) return 'gas-limit-above-block'
  if (isActive('osaka', hardfork) && gasLimit > transactionGasCap) return 'gas-limit-above-cap'
  if (to === undefined && data.length > mostInitCode) return 'init-code-too-large'
  if (gasLimit < intrinsicGas(transaction)) return 'intrinsic-gas-too-low'
  return gasLimit < floorGas(transaction, hardfork) ? 'floor-gas-too-low' : undefined
}

function feeFault(
  { maxFeePerGas, maxPriorityFeePerGas }: Transaction,
  { baseFee }: BlockEnvironment,
): Rejection | undefined {
  if (maxPriorityFeePerGas > maxFeePerGas) return 'priority-fee-above-max-fee'
  return maxFeePerGas < baseFee ? 'max-fee-below-base-fee' : undefined
}

function senderFault(
  transaction: Transaction,
  state: State,
  { hardfork }: ChainRules,
): Rejection | undefined {
  const { sender, nonce, value, gasLimit, maxFeePerGas, blobs } = transaction
  const code = state.code(sender)
  // EIP-3607, relaxed by EIP-7702
  const mayHaveCode = isActive('prague', hardfork) && delegateOf(code) !== undefined
  if (code.length > 0 && !mayHaveCode) return 'sender-has-code'
  if (nonce < state.nonce(sender)) return 'nonce-too-low'
  if (nonce > state.nonce(sender)) return 'nonce-too-high'
  if (nonce >= lastNonce) return 'nonce-exhausted'
  const blobCost = blobs === undefined ? 0n : blobGas(blobs.hashes) * blobs.maxFeePerGas
  return state.balance(sender) < gasLimit * maxFeePerGas + blobCost + value ? 'insufficient-funds' : undefined
}
