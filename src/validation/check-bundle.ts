import { numberToHex } from 'viem'
import { describe, type ErrorWire, TandemError, toWire, Unavailable } from '../base/errors.ts'
import { encodeHandleOps, entryPoints } from '../types/entrypoint.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import type { CheckBundleJob } from '../types/ports/simulator.ts'
import type { UserOperation } from '../types/userop.ts'
import type { BundleVerdict } from '../types/verdict.ts'
import { aaCodeOf } from './aa-codes.ts'
import { nodeView } from './chain-view.ts'
import { delegationOf, delegationOverrides } from './delegation.ts'
import { ethCall } from './eth-call.ts'
import { mergeOverrides } from './overrides.ts'
import { failedOpIn, rejectionOf } from './rejection.ts'
import { decodeRevert } from './revert.ts'

/** wei. Whether the relayer can pay is `minSignerBalance`'s question: the check must not fail for it. */
const plenty = 2n ** 120n

/** gas that each authorization of a type-4 transaction takes before execution (EIP-7702, PER_EMPTY_ACCOUNT_COST) */
const authorizationGas = 25_000n

/**
 * The bundle as a call of its relayer's: with its gas, its price, and those authorizations applied that are not yet.
 * A node applies no stale authorization, and says nothing about it: its operation is the culprit.
 */
export async function checkBundle(
  job: CheckBundleJob,
  { node }: { node: NodeClient },
): Promise<BundleVerdict> {
  const { version, ops, from } = job
  try {
    const delegations = await Promise.all(ops.map((op) => judgeDelegation(op, job, node)))
    const stale = delegations.findIndex((delegation) => typeof delegation === 'object')
    const refusal = delegations[stale]
    if (typeof refusal === 'object') return { kind: 'fails', index: stale, error: refusal }
    const delegating = firstOfEachSender(ops.filter((_, index) => delegations[index] === 'to-apply'))
    const authorizations = delegating.flatMap(({ eip7702Auth }) => eip7702Auth ?? [])
    const call = {
      from,
      to: entryPoints[version].address,
      data: encodeHandleOps(version, ops, job.beneficiary),
      gas: numberToHex(job.gasLimit - BigInt(authorizations.length) * authorizationGas),
      gasPrice: numberToHex(job.maxFeePerGas),
    }
    const overrides = mergeOverrides(delegationOverrides(delegating), {
      [from]: { balance: numberToHex(plenty) },
    })
    const outcome = await ethCall(node, call, job.block, overrides)
    if (outcome.kind === 'returned') return { kind: 'passes', authorizations }
    const failed = failedOpIn(outcome.data)
    const op = failed === undefined ? undefined : ops[failed.index]
    if (failed !== undefined && op !== undefined) {
      return { kind: 'fails', index: failed.index, error: toWire(rejectionOf(op, failed)) }
    }
    const { text, raw } = decodeRevert(outcome.data)
    const error = new TandemError(-32500, text, { aaCode: aaCodeOf(text), revertData: raw })
    return { kind: 'fails-whole', error: toWire(error) }
  } catch (error) {
    return { kind: 'unknown', cause: describe(error) }
  }
}

/** Of two authorizations of one sender only the first is applied: it uses up the nonce of the other. */
function firstOfEachSender(ops: readonly UserOperation[]): readonly UserOperation[] {
  const bySender = Map.groupBy(ops, ({ sender }) => sender.toLowerCase())
  return [...bySender.values()].flatMap(([first]) => first ?? [])
}

/** An error is a verdict about the operation. @throws Unavailable, NodeError */
async function judgeDelegation(
  op: UserOperation,
  { block }: CheckBundleJob,
  node: NodeClient,
): Promise<ErrorWire | 'none' | 'to-apply' | 'applied'> {
  if (op.eip7702Auth === undefined) return 'none'
  try {
    return await delegationOf(op, nodeView(node, block))
  } catch (error) {
    if (error instanceof TandemError && !(error instanceof Unavailable)) return toWire(error)
    throw error
  }
}
