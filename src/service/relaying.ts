import type { ChainSettings } from '../config/schemas/chain.ts'
import type { Relaying } from '../types/ports/submitter.ts'
import { ChainError } from './entrypoints.ts'

type Settings = Pick<
  ChainSettings,
  | 'relayingMode'
  | 'rpcEndpointSubmit'
  | 'conditionalTransactions'
  | 'relayAuthKey'
  | 'relayApiKey'
  | 'relayFallbackBlocks'
>

/** How the bundles of a chain are sent, from its flat settings. @throws ChainError for a relay without URL */
export function relayingOf(settings: Settings): Relaying {
  const { relayingMode: mode, rpcEndpointSubmit: url, relayFallbackBlocks: fallbackBlocks } = settings
  if (mode === 'classic') return { mode, submitUrl: url, conditional: settings.conditionalTransactions }
  if (url === undefined) throw new ChainError(`relayingMode ${mode} needs rpcEndpointSubmit`)
  const relay = { url, fallbackBlocks }
  switch (mode) {
    case 'flashbots':
      return { mode, ...relay, authKey: settings.relayAuthKey }
    case 'merkle':
      return { mode, ...relay }
    case 'kolibri':
      return { mode, ...relay, apiKey: settings.relayApiKey }
  }
}
