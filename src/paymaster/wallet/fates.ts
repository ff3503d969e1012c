import type { Hash, Hex } from 'viem'
import { Unavailable } from '../../base/errors.ts'
import { type Deferred, deferred, withDeadline } from '../../base/queue.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { BundleEvent } from '../../types/ports/submitter.ts'
import { abandoned, hasReverted } from './refusals.ts'

/** ms that a caller waits for a block; slower ones are asked for again. */
const deadline = 120_000
/** Orders that are remembered: an answer is waited for right after the transaction was sent. */
const memory = 10_000

type Fate = 'open' | 'mined' | 'reverted' | 'abandoned'

/** What becomes of wallets' transactions, whichever version of them is mined. */
export type Fates = {
  onEvent(event: BundleEvent): void
  /** Resolves when it is in a block. @throws PaymasterError when it failed there; Unavailable when it takes too long */
  mined(transaction: Hash): Promise<void>
}

export function createFates({ node, now }: { node: NodeClient; now: () => number }): Fates {
  /** By order. */
  const fates = new Map<string, Fate>()
  const ids = new Map<Hash, string>()
  let changed: Deferred<void> = deferred()

  return {
    onEvent(event) {
      if ('transactionHash' in event) remember(ids, event.transactionHash, event.bundleId)
      const fate = fateAfter(event)
      if (fate === undefined) return
      remember(fates, event.bundleId, fate)
      changed.resolve()
      changed = deferred()
    },

    mined: (transaction) => withDeadline(settled(transaction), deadline, () => notYet(transaction)),
  }

  async function settled(transaction: Hash): Promise<void> {
    const until = now() + deadline
    while (now() < until) {
      const { promise } = changed
      switch (await fateOf(transaction)) {
        case 'mined':
          return
        case 'reverted':
          throw hasReverted(transaction)
        case 'abandoned':
          throw abandoned(transaction)
        case 'open':
          await promise
      }
    }
    throw notYet(transaction)
  }

  /** Of what an earlier process sent the chain knows more. */
  async function fateOf(transaction: Hash): Promise<Fate> {
    const known = fates.get(ids.get(transaction) ?? '')
    if (known !== undefined) return known
    const receipt = await node.request<{ status: Hex } | null>('eth_getTransactionReceipt', [transaction])
    if (receipt === null) return 'open'
    return BigInt(receipt.status) === 1n ? 'mined' : 'reverted'
  }
}

const notYet = (transaction: Hash): Unavailable =>
  new Unavailable(`transaction ${transaction} is not in a block yet`)

function fateAfter(event: BundleEvent): Fate | undefined {
  switch (event.kind) {
    case 'submitted':
    case 'unmined':
      return 'open'
    case 'mined':
      return event.reverted ? 'reverted' : 'mined'
    case 'abandoned':
      return 'abandoned'
    case 'held':
    case 'finalized':
      return undefined
  }
}

/** The oldest go first. */
function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > memory && oldest !== undefined) map.delete(oldest)
}
