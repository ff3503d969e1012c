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

/** Why a request leads to no chain: to none at all (404), or to none yet (503). */
export type NoChain = { status: 404 | 503; error: PublicError }

/** Finds the chain that a request is for. */
export type ChainRouter = {
  /** As the path has it; null or `undefined` where it cannot be decoded. */
  byId(chainId: string | null | undefined): RpcChain | NoChain
  /** The only chain, or the one that the Host header names. */
  byHost(host: string | null): RpcChain | NoChain
}

/**
 * @param options.configured ids of the chains that there will be; `undefined` for one whose id its nodes have yet to tell
 * @param served grows while the service starts
 */
export function createChainRouter(
  { configured }: { configured: readonly (number | undefined)[] },
  served: ReadonlyMap<number, ServedChain>,
): ChainRouter {
  const known = new Map<ServedChain, RpcChain>()

  return {
    byId(given) {
      const text = given ?? ''
      const chainId = decimal.test(text) ? Number(text) : undefined
      const chain = chainId === undefined ? undefined : served.get(chainId)
      if (chain !== undefined) return rpcChain(chain)
      if (chainId !== undefined && isExpected(chainId)) return notYet
      return notServed(`chain ${text.slice(0, 20)} is not served`)
    },
    byHost(host) {
      const [only] = served.values()
      if (only !== undefined && configured.length === 1) return rpcChain(only)
      const named = [...served.values()].find(({ hosts }) => hostMatcher(hosts)(host))
      if (named !== undefined) return rpcChain(named)
      return served.size < configured.length
        ? notYet
        : notServed('the path names no chain: use /v1/<chain id>/')
    },
  }

  /** Of a chain that is starting: whoever asks for it is not wrong. */
  function isExpected(chainId: number): boolean {
    if (configured.includes(chainId)) return true
    const found = [...served.keys()].filter((id) => !configured.includes(id))
    return found.length < configured.filter((id) => id === undefined).length
  }

  function rpcChain(chain: ServedChain): RpcChain {
    const existing = known.get(chain)
    if (existing !== undefined) return existing
    const made = createRpcChain({ redirectRpc: chain.redirectRpc }, { bundler: chain.bundler })
    known.set(chain, made)
    return made
  }

  function notServed(reason: string): NoChain {
    const chains = [...served.keys()]
    const message = `${reason}; served: ${chains.join(', ') || 'none'}`
    return { status: 404, error: { code: -32600, message, data: { chains } } }
  }
}

const notYet: NoChain = {
  status: 503,
  error: { code: -32603, message: 'Internal error', data: { hint: 'the chain is being started' } },
}

export function isServed(found: RpcChain | NoChain): found is RpcChain {
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
