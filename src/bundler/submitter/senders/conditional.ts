import { numberToHex } from 'viem'
import { NodeError } from '../../../chain/node-error.ts'
import type { NodeClient } from '../../../types/ports/chain.ts'
import type { Conditions, Sender } from '../../../types/ports/submitter.ts'
import { ConditionsFailed } from '../outcome.ts'

/** JSON-RPC code of a precondition that does not hold (ERC-7796; op-geth and Arbitrum answer so too). */
const transactionRejected = -32003

/**
 * `eth_sendRawTransactionConditional` (ERC-7796) to a sequencer, which leaves a bundle out, unpaid, once what its
 * validation read has changed. A cancellation depends on nothing.
 */
export function createConditionalSender({ node }: { node: NodeClient }): Sender {
  return {
    async send({ transaction: { raw, kind }, conditions }) {
      if (kind === 'cancel' || conditions === undefined) {
        await node.request('eth_sendRawTransaction', [raw])
        return
      }
      try {
        await node.request('eth_sendRawTransactionConditional', [raw, formatConditions(conditions)])
      } catch (error) {
        if (!(error instanceof NodeError) || error.code !== transactionRejected) throw error
        throw new ConditionsFailed(error.code, error.message, error.nodeData)
      }
    },
  }
}

/** Quantities in hex, which op-geth demands and Arbitrum takes. */
function formatConditions({ knownAccounts, timestampMax }: Conditions) {
  return { knownAccounts, ...(timestampMax === undefined ? {} : { timestampMax: numberToHex(timestampMax) }) }
}
