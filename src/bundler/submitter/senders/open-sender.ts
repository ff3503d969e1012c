import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Log } from '../../../base/log.ts'
import type { NodeClient } from '../../../types/ports/chain.ts'
import type { Relay, Relaying, Sender } from '../../../types/ports/submitter.ts'
import { createClassicSender } from './classic.ts'
import { createConditionalSender } from './conditional.ts'
import { createFlashbotsSender } from './flashbots.ts'
import { kolibriTarget } from './kolibri.ts'
import { createPrivatePoolSender } from './private-pool.ts'
import { createRelayClient, type RelayClient } from './relay-client.ts'
import { createRelayedSender } from './relayed.ts'

/** The sender of a `relayingMode`, and what has to be closed with it. */
export type OpenSender = { sender: Sender; close(): void | Promise<void> }

type Modules = {
  node: NodeClient
  /** A client for an endpoint that only takes transactions. */
  connect: (url: string) => NodeClient
  /** ms that a relay has for an answer */
  relayTimeoutMs: number
  log: Log
}

export function openSender(relaying: Relaying, modules: Modules): OpenSender {
  const { node, relayTimeoutMs: timeoutMs, log } = modules
  switch (relaying.mode) {
    case 'classic': {
      const { submitUrl, conditional } = relaying
      const submitNode = submitUrl === undefined ? undefined : modules.connect(submitUrl)
      const options = { node: submitNode ?? node }
      const sender = conditional ? createConditionalSender(options) : createClassicSender(options)
      return { sender, close: () => submitNode?.close() }
    }
    case 'flashbots': {
      const relay = createRelayClient({ url: relaying.url, timeoutMs })
      const authAccount = privateKeyToAccount(relaying.authKey ?? generatePrivateKey())
      return relayed(relaying, relay, createFlashbotsSender({ authAccount }, { relay }))
    }
    // docs.merkle.io, "Send transactions via RPC": the URL of the operator's dashboard has the key in it.
    case 'merkle': {
      const relay = createRelayClient({ url: relaying.url, timeoutMs })
      return relayed(relaying, relay, createPrivatePoolSender({ relay }))
    }
    case 'kolibri': {
      const relay = createRelayClient({ ...kolibriTarget(relaying), timeoutMs })
      return relayed(relaying, relay, createPrivatePoolSender({ relay }))
    }
  }

  function relayed(options: Relay, { close }: RelayClient, relay: Sender): OpenSender {
    const nodes = createClassicSender({ node })
    return { sender: createRelayedSender(options, { relay, nodes, log }), close }
  }
}
