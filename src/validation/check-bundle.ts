import { numberToHex } from 'viem'
import { describe, TandemError, toWire } from '../base/errors.ts'
import { encodeHandleOps, entryPoints } from '../types/entrypoint.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import type { CheckBundleJob } from '../types/ports/simulator.ts'
import type { BundleVerdict } from '../types/verdict.ts'
import { aaCodeOf } from './aa-codes.ts'
import { delegationOverrides } from './delegation.ts'
import { ethCall } from './eth-call.ts'
import { mergeOverrides } from './overrides.ts'
import { failedOpIn, rejectionOf } from './rejection.ts'
import { decodeRevert } from './revert.ts'

/** wei. Whether the relayer can pay is `minSignerBalance`'s question: the check must not fail for it. */
const plenty = 2n ** 120n

/** gas that each authorization of a type-4 transaction takes before execution (EIP-7702, PER_EMPTY_ACCOUNT_COST) */
const authorizationGas = 25_000n

/** The bundle as a call of its relayer's: with its gas, its price, and its senders' authorizations applied. */
export async function checkBundle(
  job: CheckBundleJob,
  { node }: { node: NodeClient },
): Promise<BundleVerdict> {
  const { version, ops, from } = job
  const authorizations = BigInt(ops.filter((op) => op.eip7702Auth !== undefined).length)
  const call = {
    from,
    to: entryPoints[version].address,
    data: encodeHandleOps(version, ops, job.beneficiary),
    gas: numberToHex(job.gasLimit - authorizations * authorizationGas),
    gasPrice: numberToHex(job.maxFeePerGas),
  }
  const overrides = mergeOverrides(delegationOverrides(ops), { [from]: { balance: numberToHex(plenty) } })
  try {
    const outcome = await ethCall(node, call, job.block, overrides)
    if (outcome.kind === 'returned') return { kind: 'passes' }
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
