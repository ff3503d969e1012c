import { numberToHex, type SignedAuthorization } from 'viem'
import { describe, type ErrorWire, TandemError, toWire, Unavailable } from '../base/errors.ts'
import { Unsupported } from '../evm/outcome.ts'
import { encodeHandleOps, entryPoints } from '../types/entrypoint.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import type { CheckBundleJob, StateOverrides } from '../types/ports/simulator.ts'
import type { UserOperation } from '../types/userop.ts'
import type { BundleVerdict } from '../types/verdict.ts'
import { aaCodeOf } from './aa-codes.ts'
import { type ChainView, nodeView } from './chain-view.ts'
import { delegationOf, delegationOverrides } from './delegation.ts'
import type { CallOutcome, CallRequest } from './eth-call.ts'
import { mergeOverrides } from './overrides.ts'
import { failedOpIn, rejectionOf } from './rejection.ts'
import { decodeRevert } from './revert.ts'

/** wei. Whether the relayer can pay is `minSignerBalance`'s question: the check must not fail for it. */
const plenty = 2n ** 120n

/** gas that each authorization of a type-4 transaction takes before execution (EIP-7702, PER_EMPTY_ACCOUNT_COST) */
const authorizationGas = 25_000n

/** The bundle as its relayer would send it, or the operation that keeps it from being sent. */
export type BundleCall =
  | {
      kind: 'call'
      request: CallRequest
      overrides: StateOverrides
      /** Those that the transaction carries. */
      authorizations: readonly SignedAuthorization[]
    }
  | Extract<BundleVerdict, { kind: 'fails' }>

/** The whole bundle as one call at the node. */
export async function checkBundle(
  job: CheckBundleJob,
  { node }: { node: NodeClient },
): Promise<BundleVerdict> {
  return bundleVerdictOf(async () => {
    const view = nodeView(node, job.block)
    const call = await bundleCall(job, view)
    if (call.kind === 'fails') return call
    return readBundleCheck(job, call, await view.call(call.request, call.overrides))
  })
}

/** @throws Unsupported: another engine has to say */
export async function bundleVerdictOf(task: () => Promise<BundleVerdict>): Promise<BundleVerdict> {
  try {
    return await task()
  } catch (error) {
    if (error instanceof Unsupported) throw error
    return { kind: 'unknown', cause: describe(error) }
  }
}

/**
 * The bundle as a call of its relayer's: with its gas, its price, and those authorizations applied that are not yet.
 * A node applies no stale authorization, and says nothing about it: its operation is the culprit.
 * @throws Unavailable
 */
export async function bundleCall(job: CheckBundleJob, view: ChainView): Promise<BundleCall> {
  const { version, ops, from } = job
  const delegations = await Promise.all(ops.map((op) => judgeDelegation(op, view)))
  const stale = delegations.findIndex((delegation) => typeof delegation === 'object')
  const refusal = delegations[stale]
  if (typeof refusal === 'object') return { kind: 'fails', index: stale, error: refusal }
  const delegating = firstOfEachSender(ops.filter((_, index) => delegations[index] === 'to-apply'))
  const authorizations = delegating.flatMap(({ eip7702Auth }) => eip7702Auth ?? [])
  return {
    kind: 'call',
    request: {
      from,
      to: entryPoints[version].address,
      data: encodeHandleOps(version, ops, job.beneficiary),
      gas: numberToHex(job.gasLimit - BigInt(authorizations.length) * authorizationGas),
      gasPrice: numberToHex(job.maxFeePerGas),
    },
    overrides: mergeOverrides(delegationOverrides(delegating), { [from]: { balance: numberToHex(plenty) } }),
    authorizations,
  }
}

/** What the EntryPoint says to a bundle. */
export function readBundleCheck(
  { ops }: Pick<CheckBundleJob, 'ops'>,
  { authorizations }: Pick<Extract<BundleCall, { kind: 'call' }>, 'authorizations'>,
  outcome: CallOutcome,
): BundleVerdict {
  if (outcome.kind === 'returned') return { kind: 'passes', authorizations }
  const failed = failedOpIn(outcome.data)
  const op = failed === undefined ? undefined : ops[failed.index]
  if (failed !== undefined && op !== undefined) {
    return { kind: 'fails', index: failed.index, error: toWire(rejectionOf(op, failed)) }
  }
  const { text, raw } = decodeRevert(outcome.data)
  const error = new TandemError(-32500, text, { aaCode: aaCodeOf(text), revertData: raw })
  return { kind: 'fails-whole', error: toWire(error) }
}

/** Of two authorizations of one sender only the first is applied: it uses up the nonce of the other. */
function firstOfEachSender(ops: readonly UserOperation[]): readonly UserOperation[] {
  const bySender = Map.groupBy(ops, ({ sender }) => sender.toLowerCase())
  return [...bySender.values()].flatMap(([first]) => first ?? [])
}

/** An error is a verdict about the operation. @throws Unavailable, NodeError */
async function judgeDelegation(
  op: UserOperation,
  view: ChainView,
): Promise<ErrorWire | 'none' | 'to-apply' | 'applied'> {
  if (op.eip7702Auth === undefined) return 'none'
  try {
    return await delegationOf(op, view)
  } catch (error) {
    if (error instanceof TandemError && !(error instanceof Unavailable)) return toWire(error)
    throw error
  }
}
