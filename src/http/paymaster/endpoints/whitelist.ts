import { Type } from '@sinclair/typebox'
import type { Address, Hash } from 'viem'
import type { Whitelists } from '../../../paymaster/whitelists/whitelists.ts'
import { paymasterOf } from '../../../rpc/paymaster/chain.ts'
import { ApiKeyParam, ChainIdParam } from '../../../rpc/paymaster/params.ts'
import type { Caller } from '../../../types/paymaster/tenant.ts'
import type { PaymasterPort } from '../../../types/ports/paymaster.ts'
import { type Endpoint, withParams } from '../endpoint.ts'
import {
  AddressParam,
  addressesParam,
  mostOnChain,
  mostStored,
  optionalPolicyId,
  PolicyIdParam,
  readAddress,
  readAddresses,
} from '../fields.ts'
import { awaited, transactionFields } from '../transaction.ts'

const credentials = { chainId: ChainIdParam, apiKey: ApiKeyParam }
const Message = Type.Object({ message: Type.String() })
const Addresses = Type.Object({ addresses: Type.Array(Type.String()) })
const present = (isPresent: boolean) => ({ message: isPresent ? 'Already added' : 'Not added yet' })

/** What is done to a list, and how it is called. */
type Change = {
  path: string
  does: string
  done: string
  onChain(paymaster: PaymasterPort, caller: Caller, addresses: readonly Address[]): Promise<Hash>
  stored(
    lists: Whitelists,
    caller: Caller,
    policyId: number | undefined,
    addresses: readonly Address[],
  ): Promise<void>
}
const changes: readonly Change[] = [
  {
    ...{ path: '/whitelist', does: 'Adds senders to', done: 'Successfully whitelisted' },
    onChain: (paymaster, caller, addresses) => paymaster.whitelist(caller, addresses),
    stored: (lists, caller, policyId, addresses) => lists.add(caller, policyId, addresses),
  },
  {
    ...{ path: '/removeWhitelist', does: 'Removes senders from' },
    done: 'Successfully removed whitelisted addresses',
    onChain: (paymaster, caller, addresses) => paymaster.removeFromWhitelist(caller, addresses),
    stored: (lists, caller, policyId, addresses) => lists.remove(caller, policyId, addresses),
  },
]

const shared = 'the list of the shared paymaster, on chain'
const ofShared = { method: 'POST', useVp: false } as const

/** The shared paymaster's list. */
const onChain: readonly Endpoint[] = [
  ...changes.map(({ path, does, done, onChain: send }) =>
    withParams({
      ...ofShared,
      path,
      summary: `${does} ${shared}`,
      price: 10,
      scope: 'admin',
      query: ['chainId', 'useVp', 'wait'],
      params: { addresses: addressesParam(mostOnChain), ...credentials },
      answer: Type.Object({ message: Type.String(), ...transactionFields }),
      async handler({ addresses }, { caller, service, chainId, wait }) {
        const paymaster = paymasterOf(service.paymasters, chainId)
        const hash = await send(paymaster, caller, readAddresses(addresses))
        return {
          message: `${done} with transaction Hash ${hash}`,
          ...(await awaited(hash, { paymaster, wait })),
        }
      },
    }),
  ),
  withParams({
    ...ofShared,
    path: '/checkWhitelist',
    summary: `Whether a sender is on ${shared}`,
    price: 15,
    scope: 'read',
    query: ['chainId', 'useVp'],
    params: { address: AddressParam, ...credentials },
    answer: Message,
    async handler({ address }, { caller, service, chainId }) {
      const paymaster = paymasterOf(service.paymasters, chainId)
      return present(await paymaster.isWhitelisted(caller, readAddress(address)))
    },
  }),
  withParams({
    ...ofShared,
    path: '/getAllWhitelist',
    summary: `All of ${shared}`,
    price: 5,
    scope: 'read',
    query: ['chainId', 'useVp'],
    params: { ignored: Type.Optional(Type.Unknown()), ...credentials },
    answer: Addresses,
    async handler(_args, { caller, service, chainId }) {
      return { addresses: [...(await paymasterOf(service.paymasters, chainId).whitelisted(caller))] }
    },
  }),
]

type Variant = Pick<Endpoint, 'query' | 'useVp'> & {
  suffix: string
  /** credits */
  prices: { change: number; check: number }
}
/** The list in the database is one; with useVp the paths without a version mean it: own paymasters have none on chain. */
const variants: readonly Variant[] = [
  { suffix: '', query: ['useVp'], useVp: true, prices: { change: 10, check: 15 } },
  { suffix: '/v2', query: [], prices: { change: 5, check: 5 } },
  { suffix: '/v3', query: [], prices: { change: 5, check: 5 } },
]

const stored = "the tenant's list, or a policy's"
const list = { policyId: PolicyIdParam, ...credentials }

const inDatabase: readonly Endpoint[] = variants.flatMap(({ suffix, prices, ...variant }) => {
  const about = { ...variant, method: 'POST' } as const
  return [
    ...changes.map(({ path, does, done, stored: change }) =>
      withParams({
        ...about,
        path: path + suffix,
        summary: `${does} ${stored}`,
        price: prices.change,
        scope: 'admin',
        params: { addresses: addressesParam(mostStored), ...list },
        answer: Message,
        async handler({ addresses, policyId }, { caller, service }) {
          await change(service.whitelists, caller, optionalPolicyId(policyId), readAddresses(addresses))
          return { message: done }
        },
      }),
    ),
    withParams({
      ...about,
      path: `/checkWhitelist${suffix}`,
      summary: `Whether a sender is on ${stored}`,
      price: prices.check,
      scope: 'read',
      params: { address: AddressParam, ...list },
      answer: Message,
      async handler({ address, policyId }, { caller, service }) {
        return present(await service.whitelists.has(caller, optionalPolicyId(policyId), readAddress(address)))
      },
    }),
    withParams({
      ...about,
      path: `/getAllWhitelist${suffix}`,
      summary: `All of ${stored}`,
      price: 5,
      scope: 'read',
      params: list,
      answer: Addresses,
      async handler({ policyId }, { caller, service }) {
        return { addresses: [...(await service.whitelists.list(caller, optionalPolicyId(policyId)))] }
      },
    }),
  ]
})

export const whitelistEndpoints: readonly Endpoint[] = [...onChain, ...inDatabase]
