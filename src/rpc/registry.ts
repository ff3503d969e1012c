import type { RpcChain } from './chain.ts'
import type { Method } from './method.ts'
import { debugMethods, methods } from './methods.ts'
import { passedThrough } from './passthrough.ts'

/** The methods that exist, by name. */
export type Registry = {
  find(name: unknown, chain: Pick<RpcChain, 'redirectRpc'>): Method | undefined
  names(chain: Pick<RpcChain, 'redirectRpc'>): string[]
  /** Those of a chain that has all. */
  readonly all: readonly Method[]
}

/** Debug methods do not exist outside testing (ERC-7769), nor standard ones where they are not passed through. */
export function createRegistry(
  options: { testing: boolean },
  modules: { /** Beside those that are always there. */ further?: readonly Method[] | undefined } = {},
): Registry {
  const own = byName([...methods, ...(modules.further ?? []), ...(options.testing ? debugMethods : [])])
  const node = byName(passedThrough)
  return {
    find(name, { redirectRpc }) {
      if (typeof name !== 'string') return undefined
      return own.get(name) ?? (redirectRpc ? node.get(name) : undefined)
    },
    all: [...own.values(), ...node.values()],
    names: ({ redirectRpc }) => [...own.keys(), ...(redirectRpc ? node.keys() : [])],
  }
}

function byName(list: readonly Method[]): ReadonlyMap<string, Method> {
  return new Map(list.map((method) => [method.name, method]))
}
