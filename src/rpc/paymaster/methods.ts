import type { Method } from '../method.ts'
import { pimlico_getTokenQuotes } from '../methods/pimlico_getTokenQuotes.ts'
import { pm_getERC20TokenQuotes } from '../methods/pm_getERC20TokenQuotes.ts'
import { pm_getPaymasterData } from '../methods/pm_getPaymasterData.ts'
import { pm_getPaymasterStubData } from '../methods/pm_getPaymasterStubData.ts'
import { pm_sponsorUserOperation } from '../methods/pm_sponsorUserOperation.ts'
import { pm_supportedEntryPoints } from '../methods/pm_supportedEntryPoints.ts'
import type { PaymasterMethod } from './method.ts'
import type { PaymasterPerform } from './perform.ts'

/** The paymaster's methods, at its own address and at the bundler's. */
export const paymasterMethods: readonly PaymasterMethod[] = [
  pimlico_getTokenQuotes,
  pm_getERC20TokenQuotes,
  pm_getPaymasterData,
  pm_getPaymasterStubData,
  pm_sponsorUserOperation,
  pm_supportedEntryPoints,
]

/** The same at a bundler's address, so that one URL serves a wallet: the chain is the address's. */
export function onBundlerAddress(perform: PaymasterPerform): readonly Method[] {
  return paymasterMethods.map((method) => ({
    name: method.name,
    price: method.price,
    chargesItself: true,
    params: method.params,
    result: method.result,
    run(params, { chain, request, caller: { query, headers, bill } }) {
      const sources = { query, headers, body: request }
      return perform(method, params, { sources, chainId: chain.bundler.chainId, bill })
    },
  }))
}
