import { createRpcChain, type RpcChain } from '../rpc/chain.ts'
import type { PublicError } from '../rpc/public-error.ts'
import type { BundlerPort } from '../types/ports/bundler.ts'

/** A chain that is served, with what its operator set about its address. */
export type ServedChain = {
  bundler: BundlerPort
  /** Standard methods are passed through to the node. */
  redirectRpc: boolean
  /** Host headers for which the root path means this chain. */
  hosts: readonly string[]
}

const decimal = /^\d{1,16}$/

/** Finds the chain that a request is for; an error for a path that leads to none. */
export type ChainRouter = {
  /** As the path has it; null or `undefined` where it cannot be decoded. */
  byId(chainId: string | null | undefined): RpcChain | PublicError
  /** The only chain, or the one that the Host header names. */
  byHost(host: string | null): RpcChain | PublicError
}

/**
 * @param options.configured how many chains there will be
 * @param served grows while the service starts
 */
export function createChainRouter(
  { configured }: { configured: number },
  served: ReadonlyMap<number, ServedChain>,
): ChainRouter {
  const known = new Map<ServedChain, RpcChain>()

  return {
    byId(given) {
      const chainId = given ?? ''
      const chain = decimal.test(chainId) ? served.get(Number(chainId)) : undefined
      return chain === undefined ? notServed(`chain ${chainId.slice(0, 20)} is not served`) : rpcChain(chain)
    },
    byHost(host) {
      const [only] = served.values()
      if (only !== undefined && configured === 1) return rpcChain(only)
      const named = [...served.values()].find(({ hosts }) => hostMatcher(hosts)(host))
      return named === undefined ? notServed('the path names no chain: use /v1/<chain id>/') : rpcChain(named)
    },
  }

  function rpcChain(chain: ServedChain): RpcChain {
    const existing = known.get(chain)
    if (existing !== undefined) return existing
    const made = createRpcChain({ redirectRpc: chain.redirectRpc }, { bundler: chain.bundler })
    known.set(chain, made)
    return made
  }

  function notServed(reason: string): PublicError {
    const chains = [...served.keys()]
    return {
      code: -32600,
      message: `${reason}; served: ${chains.join(', ') || 'none yet'}`,
      data: { chains },
    }
  }
}

export function isServed(found: RpcChain | PublicError): found is RpcChain {
  return 'bundler' in found
}

/** Whether a Host header is one of `hosts`; case and ports do not count. */
export function hostMatcher(hosts: readonly string[]): (host: string | null) => boolean {
  const names = new Set(hosts.map(hostName))
  return (host) => host !== null && names.has(hostName(host))
}

/** Lower case, without a port. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '')
}
