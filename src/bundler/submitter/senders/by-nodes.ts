import type { NodeClient } from '../../../types/ports/chain.ts'
import type { Relaying, Sender, SubmitterChain } from '../../../types/ports/submitter.ts'
import { createClassicSender } from './classic.ts'

/** Relays are for bundles: what an account sends for itself needs no privacy, and some of them take nothing else. */
export function senderByNodes(
  { relaying }: Pick<SubmitterChain, 'relaying'>,
  { sender, node }: { sender: Sender; node: NodeClient },
): Sender {
  return relaying.mode === 'classic' ? sender : createClassicSender({ node })
}

export function relayingByNodes({ relaying }: Pick<SubmitterChain, 'relaying'>): Relaying {
  return relaying.mode === 'classic'
    ? relaying
    : { mode: 'classic', submitUrl: undefined, conditional: false }
}
