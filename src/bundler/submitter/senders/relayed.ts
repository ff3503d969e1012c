import type { Log } from '../../../base/log.ts'
import type { Relay, Sender } from '../../../types/ports/submitter.ts'

/**
 * Bundles through a relay. After `fallbackBlocks` without inclusion the nodes get the same transaction: its nonce is
 * used once, whoever includes it. A cancellation has nothing to hide and goes to the nodes at once.
 */
export function createRelayedSender(
  { fallbackBlocks }: Pick<Relay, 'fallbackBlocks'>,
  { relay, nodes, log }: { relay: Sender; nodes: Sender; log: Log },
): Sender {
  return {
    async send(sending) {
      const { transaction, waited } = sending
      if (transaction.kind === 'cancel') return nodes.send(sending)
      if (fallbackBlocks === undefined || waited < fallbackBlocks) return relay.send(sending)
      const { bundleId: bundle, hash } = transaction
      log.info('the relay did not get it included: sent to the nodes', { bundle, transaction: hash, waited })
      return nodes.send(sending)
    },
  }
}
