import { type Static, Type } from '@sinclair/typebox'
import type { Hash } from 'viem'
import { fromWire, InvalidParams, TandemError } from '../../base/errors.ts'
import { deferred, withDeadline } from '../../base/queue.ts'
import { parseUserOperation } from '../../types/rpc-userop.ts'
import type { StateChange } from '../../types/status.ts'
import { aboutOperation } from '../about-operation.ts'
import type { RpcChain } from '../chain.ts'
import { servedVersion } from '../entry-point.ts'
import { formatReceipt, ReceiptSchema } from '../format/receipt.ts'
import { defineMethod } from '../method.ts'
import { EntryPointParam, UserOperationParam } from '../params.ts'

/** ms: two slots of the slowest chains */
const defaultWait = 30_000
/** ms: the HTTP server closes a connection that is silent for longer than 90 s */
const longestWait = 60_000
/** The code that EIP-7966 gives to "accepted, but not included in time". */
const notInTime = 4

const Timeout = Type.Integer({
  minimum: 1,
  maximum: longestWait,
  expected: `milliseconds, from 1 to ${longestWait}`,
})

/**
 * Sends and waits: gives the receipt, as EIP-7966 does for transactions. An operation that is not included in time
 * stays accepted; one that is dropped fails with the reason.
 */
export const eth_sendUserOperationSync = defineMethod({
  name: 'eth_sendUserOperationSync',
  price: 600,
  params: {
    userOperation: UserOperationParam,
    entryPoint: EntryPointParam,
    timeoutMs: Type.Optional(Timeout),
  },
  result: ReceiptSchema,
  async handler({ userOperation, entryPoint, timeoutMs = defaultWait }, call) {
    const { bundler, syncBudget } = call.chain
    const op = parseUserOperation(userOperation, servedVersion(entryPoint, bundler, 'params[1]'), 'complete')
    call.about = () => aboutOperation(op, bundler)
    return syncBudget.run(async () => {
      // Its own hash: that of a delegated account is not known before (EIP-7702).
      const hash = await bundler.send(op)
      const inclusion = awaitInclusion(call.chain, hash)
      try {
        return await withDeadline(inclusion.receipt, timeoutMs, () => {
          const message = `accepted, but not included within ${timeoutMs} ms`
          return new TandemError(notInTime, message, { userOpHash: hash })
        })
      } finally {
        inclusion.stop()
      }
    })
  },
})

type Inclusion = { receipt: Promise<Static<typeof ReceiptSchema>>; stop: () => void }

/** Listens from now on, and looks at what happened before. */
function awaitInclusion({ bundler, feed }: RpcChain, hash: Hash): Inclusion {
  const { promise, resolve, reject } = deferred<Static<typeof ReceiptSchema>>()
  // The wait may be given up before the promise is looked at.
  promise.catch(() => {})
  const look = () => {
    bundler.receipt(hash).then((found) => found && resolve(formatReceipt(found)), reject)
  }
  const settle = ({ state }: StateChange) => {
    if (state.kind === 'included') look()
    if (state.kind === 'dropped' || state.kind === 'expired') reject(fromWire(state.reason))
    if (state.kind === 'replaced') {
      reject(new InvalidParams('replaced by another operation with the same nonce', { replacedBy: state.by }))
    }
  }
  const stop = feed.onHash(hash, settle)
  look()
  bundler.status(hash).then((status) => status && settle(status), reject)
  return { receipt: promise, stop }
}
