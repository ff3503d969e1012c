import { Unavailable } from '../../../base/errors.ts'
import type { Sender } from '../../../types/ports/submitter.ts'
import type { RelayClient } from './relay-client.ts'

/** `eth_sendRawTransaction` to a relay's pool, which is nobody else's. It has to name the transaction that it took. */
export function createPrivatePoolSender({ relay }: { relay: RelayClient }): Sender {
  return {
    async send({ transaction: { raw, hash } }) {
      const answer = await relay.call('eth_sendRawTransaction', [raw])
      if (typeof answer === 'string' && answer.toLowerCase() === hash) return
      throw new Unavailable('the relay answered for another transaction')
    },
  }
}
