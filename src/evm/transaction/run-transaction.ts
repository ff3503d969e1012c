import { runnableCode } from '../delegation.ts'
import type { BlockEnvironment, ChainRules, Environment } from '../environment.ts'
import type { Message } from '../message.ts'
import type { Observer } from '../observer.ts'
import type { Log, Outcome } from '../outcome.ts'
import { runMessage } from '../run-message.ts'
import type { State } from '../state/state.ts'
import { authorize } from './authorize.ts'
import { blobGas } from './blobs.ts'
import { floorGas, intrinsicGas } from './intrinsic-gas.ts'
import { type Rejection, rejectionOf } from './rejection.ts'
import type { Transaction } from './transaction.ts'
import { warmBeforehand } from './warm.ts'

/** The share of the gas used that refunds may be (EIP-3529). */
const refundQuotient = 5n

/** Gas is counted in numbers; nothing runs long enough to use as much, so what is above it is not needed. */
const mostGas = BigInt(Number.MAX_SAFE_INTEGER)

export type TransactionRun = {
  readonly transaction: Transaction
  readonly state: State
  readonly chain: ChainRules
  readonly block: BlockEnvironment
  readonly observer?: Observer
  /** as in a `Budget` */
  readonly stepLimit: number
}

export type TransactionResult =
  | { readonly kind: 'rejected'; readonly reason: Rejection }
  | {
      readonly kind: 'executed'
      readonly outcome: Outcome
      /** gas, after refunds */
      readonly gasUsed: bigint
      readonly logs: readonly Log[]
    }

/**
 * Runs a transaction as a block does: fees, nonce, authorizations, refunds, and what it leaves in `state`.
 * A rejected one, or one that throws as `runMessage` does, changes nothing.
 */
export function runTransaction(run: TransactionRun): TransactionResult {
  const { transaction, state, chain, block } = run
  const reason = rejectionOf(transaction, state, chain, block)
  if (reason !== undefined) return { kind: 'rejected', reason }
  state.beginTransaction()
  const start = state.snapshot()
  try {
    return execute(run)
  } catch (error) {
    state.revert(start)
    throw error
  }
}

function execute({
  transaction,
  state,
  chain,
  block,
  observer,
  stepLimit,
}: TransactionRun): TransactionResult {
  const { sender, to, gasLimit, accessList, blobs, authorizations = [] } = transaction
  const gasPrice = gasPriceOf(transaction, block)
  const environment: Environment = {
    chain,
    block,
    transaction: { origin: sender, gasPrice, blobHashes: blobs?.hashes ?? [] },
  }
  const blobFee = blobs === undefined ? 0n : blobGas(blobs.hashes) * block.blobBaseFee
  state.setBalance(sender, state.balance(sender) - gasLimit * gasPrice - blobFee)
  if (to !== undefined) state.setNonce(sender, state.nonce(sender) + 1n)
  warmBeforehand(
    state,
    to === undefined ? [sender, block.coinbase] : [sender, block.coinbase, to],
    accessList,
  )
  for (const authorization of authorizations) authorize(authorization, state, chain)
  const delegate = to === undefined ? undefined : runnableCode({ state, environment }, to).delegate
  if (delegate !== undefined) state.warmAddress(delegate)

  const available = gasLimit - BigInt(intrinsicGas(transaction))
  const unneeded = available > mostGas ? available - mostGas : 0n
  const message = messageOf(transaction, Number(available - unneeded))
  const outcome = runMessage({
    message,
    state,
    environment,
    budget: { steps: stepLimit },
    ...(observer && { observer }),
  })
  const gasLeft = outcome.kind === 'halted' ? 0n : BigInt(outcome.gasLeft) + unneeded

  const gasUsed = settledGas(transaction, gasLimit - gasLeft, state, chain)
  state.setBalance(sender, state.balance(sender) + (gasLimit - gasUsed) * gasPrice)
  state.setBalance(block.coinbase, state.balance(block.coinbase) + gasUsed * (gasPrice - block.baseFee))
  state.endTransaction()
  return { kind: 'executed', outcome, gasUsed, logs: state.logs }
}

/** wei a gas (EIP-1559) */
function gasPriceOf(
  { maxFeePerGas, maxPriorityFeePerGas }: Transaction,
  { baseFee }: BlockEnvironment,
): bigint {
  const wanted = baseFee + maxPriorityFeePerGas
  return wanted < maxFeePerGas ? wanted : maxFeePerGas
}

function messageOf({ sender: caller, to, value, data }: Transaction, gas: number): Message {
  return to === undefined
    ? { kind: 'create', caller, value, initCode: data, gas }
    : { kind: 'call', caller, to, value, input: data, gas }
}

/** What it pays for: refunds come off, as far as the cap and the floor let them. */
function settledGas(transaction: Transaction, used: bigint, state: State, { hardfork }: ChainRules): bigint {
  const refund = BigInt(state.refund)
  const cap = used / refundQuotient
  const paid = used - (refund < cap ? refund : cap)
  const floor = BigInt(floorGas(transaction, hardfork))
  return paid < floor ? floor : paid
}
