import type { ChainSettings } from './schemas/chain.ts'
import { paymasterSchema } from './schemas/paymaster.ts'
import type { ServiceSettings } from './schemas/service.ts'
import { settingsOf } from './settings.ts'
import { topUpsOf } from './top-ups.ts'

/** bytes that a bundle of one has besides its operation, with room for a later EntryPoint's */
const bundleEnvelope = 2_048

/** What is wrong between settings that are each right; never the values. */
export function incoherences(chains: readonly ChainSettings[]): string[] {
  const problems: string[] = []
  for (const [index, chain] of chains.entries()) {
    const earlier = chains.slice(0, index)
    const sameAs = (same: (other: ChainSettings) => boolean) => earlier.findIndex(same)
    const report = (name: string, other: number) => {
      if (other !== -1) problems.push(`chains[${index}]: ${name} is that of chains[${other}]`)
    }
    const { chainId, rpcUrl, hosts, relayerKeys, fundingKey, paymasterKey } = chain
    report(
      'chainId',
      sameAs((other) => chainId !== undefined && other.chainId === chainId),
    )
    report(
      'rpcUrl',
      sameAs((other) => other.rpcUrl.some((url) => rpcUrl.includes(url))),
    )
    report(
      'one of hosts',
      sameAs((other) => other.hosts.some((host) => hosts.includes(host))),
    )
    problems.push(...sizeProblems(chain).map((problem) => `chains[${index}]: ${problem}`))
    problems.push(...relayProblems(chain).map((problem) => `chains[${index}]: ${problem}`))
    problems.push(...topUpProblems(chain).map((problem) => `chains[${index}]: ${problem}`))
    problems.push(...validationProblems(chain).map((problem) => `chains[${index}]: ${problem}`))
    if (new Set(relayerKeys).size < relayerKeys.length)
      problems.push(`chains[${index}]: relayerKeys has the same key twice: two nonce lines need two keys`)
    if (paymasterKey !== undefined && [...relayerKeys, fundingKey].includes(paymasterKey))
      problems.push(
        `chains[${index}]: paymasterKey is one that sends transactions: it needs a nonce line of its own`,
      )
  }
  return problems
}

/** What is wrong between the settings of the process. */
export function serviceIncoherences({
  webhookUrl,
  webhookSecret,
}: Pick<ServiceSettings, 'webhookUrl' | 'webhookSecret'>): string[] {
  if ((webhookUrl === undefined) === (webhookSecret === undefined)) return []
  const [given, missing] =
    webhookUrl === undefined ? ['webhookSecret', 'webhookUrl'] : ['webhookUrl', 'webhookSecret']
  return [`${missing} is missing: ${given} needs it`]
}

/** What the paymaster service lacks, or what is configured of it without a master key. */
export function paymasterProblems(
  service: ServiceSettings,
  chains: readonly (Pick<ChainSettings, 'nativePrice' | 'tokens' | 'paymasterKey'> & {
    given: ReadonlySet<string>
  })[],
): string[] {
  const isOn = service.masterKey !== undefined
  const ofChains = chains.flatMap((chain, index) =>
    (isOn ? chainProblems(chain) : idle(paymasterSettings.find((name) => chain.given.has(name)))).map(
      (problem) => `chains[${index}]: ${problem}`,
    ),
  )
  return isOn ? ofChains : [...idle(surfaceOf(service)), ...ofChains]
}

const idle = (configured: string | undefined): string[] =>
  configured === undefined ? [] : [`masterKey is missing: ${configured} needs it`]

function surfaceOf({ requireApiKey, paymasterHosts, paymasterPort }: ServiceSettings): string | undefined {
  if (requireApiKey) return 'requireApiKey'
  if (paymasterHosts.length > 0) return 'paymasterHosts'
  return paymasterPort === undefined ? undefined : 'paymasterPort'
}

function chainProblems(chain: Pick<ChainSettings, 'nativePrice' | 'tokens' | 'paymasterKey'>): string[] {
  const problems = tokenProblems(chain)
  if (chain.nativePrice === undefined)
    problems.push('nativePrice is missing: masterKey needs it, since limits are in US dollars')
  if (chain.tokens.length > 0 && chain.paymasterKey === undefined)
    problems.push('paymasterKey is missing: tokens need it')
  return problems
}

/** What is wrong with tokens. */
export function tokenProblems({
  nativePrice,
  tokens,
}: Pick<ChainSettings, 'nativePrice' | 'tokens'>): string[] {
  const problems: string[] = []
  for (const name of ['address', 'symbol'] as const)
    if (new Set(tokens.map((token) => token[name].toLowerCase())).size < tokens.length)
      problems.push(`tokens has the same ${name} twice`)
  for (const { symbol, price, onChainFeed } of tokens)
    if (onChainFeed && (price.kind !== 'chainlink' || nativePrice?.kind !== 'chainlink'))
      problems.push(`onChainFeed of ${symbol} needs Chainlink feeds as its price and as nativePrice`)
  return problems
}

const paymasterSettings = [...settingsOf(paymasterSchema).keys()]

/** What would never fit, in one chain's settings; a preset may have changed them. */
export function sizeProblems({
  transactionBytesCap,
  maxUserOperationSize,
}: Pick<ChainSettings, 'transactionBytesCap' | 'maxUserOperationSize'>): string[] {
  if (transactionBytesCap >= maxUserOperationSize + bundleEnvelope) return []
  return [
    `transactionBytesCap must be at least ${bundleEnvelope} more than maxUserOperationSize, or the largest operations would never be bundled`,
  ]
}

function validationProblems({ validationEngine, lowestValidation }: ChainSettings): string[] {
  if (validationEngine === 'local' || lowestValidation !== 'full') return []
  return ['lowestValidation full needs validationEngine local: nodes validate at traced-by-node at most']
}

function relayProblems({
  relayingMode,
  rpcEndpointSubmit,
  conditionalTransactions,
}: ChainSettings): string[] {
  if (relayingMode === 'classic') return []
  const problems: string[] = []
  if (rpcEndpointSubmit === undefined)
    problems.push(`relayingMode ${relayingMode} needs rpcEndpointSubmit, the URL of the relay`)
  if (conditionalTransactions)
    problems.push(
      `conditionalTransactions needs relayingMode classic: a ${relayingMode} relay takes no conditions`,
    )
  return problems
}

function topUpProblems(chain: ChainSettings): string[] {
  const { below, to } = topUpsOf(chain)
  const problems: string[] = []
  if (below < chain.minSignerBalance)
    problems.push('topUpBelow must be at least minSignerBalance, or a relayer that paused is never topped up')
  if (to < below || (to === below && to > 0n)) problems.push('topUpTo must be more than topUpBelow')
  if (chain.fundingKey !== undefined && chain.relayerKeys.includes(chain.fundingKey))
    problems.push('fundingKey is one of relayerKeys: it needs a nonce line of its own')
  return problems
}
