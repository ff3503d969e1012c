import { Type } from '@sinclair/typebox'
import { getAddress, type Hash } from 'viem'
import { paymasterOf } from '../../../rpc/paymaster/chain.ts'
import { ApiKeyParam, ChainIdParam } from '../../../rpc/paymaster/params.ts'
import { AddressSchema } from '../../../types/rpc-userop.ts'
import { type Endpoint, type EndpointCall, withParams } from '../endpoint.ts'
import {
  addressesParam,
  mostOnChain,
  mostStored,
  optionalPolicyId,
  PolicyIdParam,
  readAddresses,
} from '../fields.ts'
import { awaited, transactionFields } from '../transaction.ts'

const credentials = { chainId: ChainIdParam, apiKey: ApiKeyParam }
const Message = Type.Object({ message: Type.String() })
const Addresses = Type.Object({ addresses: Type.Array(Type.String()) })
const present = (isPresent: boolean) => ({ message: isPresent ? 'Already added' : 'Not added yet' })

/** The shared paymaster's list, on chain. */
const onChain: readonly Endpoint[] = [
  withParams({
    method: 'POST',
    path: '/whitelist',
    useVp: false,
    summary: 'Adds senders to the list of the shared paymaster, on chain',
    price: 10,
    scope: 'admin',
    query: ['chainId', 'useVp', 'wait'],
    params: { addresses: addressesParam(mostOnChain), ...credentials },
    answer: Type.Object({ message: Type.String(), ...transactionFields }),
    handler: ({ addresses }, call) =>
      changed(call, 'Successfully whitelisted', (paymaster) =>
        paymaster.whitelist(call.caller, readAddresses(addresses)),
      ),
  }),
  withParams({
    method: 'POST',
    path: '/removeWhitelist',
    useVp: false,
    summary: 'Removes senders from the list of the shared paymaster, on chain',
    price: 10,
    scope: 'admin',
    query: ['chainId', 'useVp', 'wait'],
    params: { addresses: addressesParam(mostOnChain), ...credentials },
    answer: Type.Object({ message: Type.String(), ...transactionFields }),
    handler: ({ addresses }, call) =>
      changed(call, 'Successfully removed whitelisted addresses', (paymaster) =>
        paymaster.removeFromWhitelist(call.caller, readAddresses(addresses)),
      ),
  }),
  withParams({
    method: 'POST',
    path: '/checkWhitelist',
    useVp: false,
    summary: 'Whether a sender is on the list of the shared paymaster, on chain',
    price: 15,
    scope: 'read',
    query: ['chainId', 'useVp'],
    params: { address: AddressSchema, ...credentials },
    answer: Message,
    async handler({ address }, { caller, service, chainId }) {
      const paymaster = paymasterOf(service.paymasters, chainId)
      return present(await paymaster.isWhitelisted(caller, getAddress(address)))
    },
  }),
  withParams({
    method: 'POST',
    path: '/getAllWhitelist',
    useVp: false,
    summary: 'The list of the shared paymaster, on chain',
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

/** The list in the database; `variant` is `/v2`, `/v3`, or nothing with useVp, whose paymasters have no list on chain. */
function stored(variant: '' | '/v2' | '/v3'): readonly Endpoint[] {
  const about =
    variant === ''
      ? ({ method: 'POST', query: ['useVp'], useVp: true } as const)
      : ({ method: 'POST', query: [] } as const)
  const prices = variant === '' ? { change: 10, check: 15 } : { change: 5, check: 5 }
  const list = { policyId: PolicyIdParam, ...credentials }
  return [
    withParams({
      ...about,
      path: `/whitelist${variant}`,
      summary: "Adds senders to the tenant's list, or to a policy's",
      price: prices.change,
      scope: 'admin',
      params: { addresses: addressesParam(mostStored), ...list },
      answer: Message,
      async handler({ addresses, policyId }, { caller, service }) {
        await service.whitelists.add(caller, optionalPolicyId(policyId), readAddresses(addresses))
        return { message: 'Successfully whitelisted' }
      },
    }),
    withParams({
      ...about,
      path: `/removeWhitelist${variant}`,
      summary: "Removes senders from the tenant's list, or from a policy's",
      price: prices.change,
      scope: 'admin',
      params: { addresses: addressesParam(mostStored), ...list },
      answer: Message,
      async handler({ addresses, policyId }, { caller, service }) {
        await service.whitelists.remove(caller, optionalPolicyId(policyId), readAddresses(addresses))
        return { message: 'Successfully removed whitelisted addresses' }
      },
    }),
    withParams({
      ...about,
      path: `/checkWhitelist${variant}`,
      summary: "Whether a sender is on the tenant's list, or on a policy's",
      price: prices.check,
      scope: 'read',
      params: { address: AddressSchema, ...list },
      answer: Message,
      async handler({ address, policyId }, { caller, service }) {
        return present(await service.whitelists.has(caller, optionalPolicyId(policyId), getAddress(address)))
      },
    }),
    withParams({
      ...about,
      path: `/getAllWhitelist${variant}`,
      summary: "The tenant's list, or a policy's",
      price: 5,
      scope: 'read',
      params: list,
      answer: Addresses,
      async handler({ policyId }, { caller, service }) {
        return { addresses: [...(await service.whitelists.list(caller, optionalPolicyId(policyId)))] }
      },
    }),
  ]
}

export const whitelistEndpoints: readonly Endpoint[] = [
  ...onChain,
  ...stored(''),
  ...stored('/v2'),
  ...stored('/v3'),
]

async function changed(
  { service, chainId, wait }: EndpointCall,
  done: string,
  send: (paymaster: ReturnType<typeof paymasterOf>) => Promise<Hash>,
) {
  const paymaster = paymasterOf(service.paymasters, chainId)
  const hash = await send(paymaster)
  return { message: `${done} with transaction Hash ${hash}`, ...(await awaited(hash, { paymaster, wait })) }
}
