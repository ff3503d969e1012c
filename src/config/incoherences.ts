import type { ChainSettings } from './schema.ts'

/** What is wrong between settings that are each right; never the values. */
export function incoherences(chains: readonly ChainSettings[]): string[] {
  const problems: string[] = []
  for (const [index, chain] of chains.entries()) {
    const earlier = chains.slice(0, index)
    const sameAs = (same: (other: ChainSettings) => boolean) => earlier.findIndex(same)
    const report = (name: string, other: number) => {
      if (other !== -1) problems.push(`chains[${index}]: ${name} is that of chains[${other}]`)
    }
    const { chainId, rpcUrl, hosts } = chain
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
    if (new Set(chain.relayerKeys).size < chain.relayerKeys.length)
      problems.push(`chains[${index}]: relayerKeys has the same key twice: two nonce lines need two keys`)
  }
  return problems
}
