import type { NodeClient } from '../../../types/ports/chain.ts'
import type { Sender } from '../../../types/ports/submitter.ts'

/** `eth_sendRawTransaction` to the chain's nodes, or to the endpoint that is configured for sending. */
export function createClassicSender({ node }: { node: NodeClient }): Sender {
  return {
    async send({ transaction }) {
      await node.request('eth_sendRawTransaction', [transaction.raw])
    },
  }
}
