import { keccak256, numberToHex, stringToBytes } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { Sender } from '../../../types/ports/submitter.ts'
import type { RelayClient } from './relay-client.ts'

/**
 * `eth_sendBundle` for the next block, to a relay that speaks Flashbots' API (docs.flashbots.net, "JSON-RPC
 * Endpoints"). A bundle is for one block: the lifecycle sends it again at each head. It is left out where it would
 * revert. The answer names a bundle hash that relays compute each in their own way, and promises nothing.
 */
export function createFlashbotsSender(
  { authAccount }: { authAccount: PrivateKeyAccount },
  { relay }: { relay: RelayClient },
): Sender {
  return {
    async send({ transaction, head }) {
      const bundle = { txs: [transaction.raw], blockNumber: numberToHex(head + 1) }
      await relay.call('eth_sendBundle', [bundle], async (body) => ({
        'x-flashbots-signature': await signatureOf(body, authAccount),
      }))
    },
  }
}

/** Of the hash of the body, as text, by EIP-191. */
export async function signatureOf(body: string, account: PrivateKeyAccount): Promise<string> {
  return `${account.address}:${await account.signMessage({ message: keccak256(stringToBytes(body)) })}`
}
