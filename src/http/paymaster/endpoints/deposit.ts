import { Type } from '@sinclair/typebox'
import type { Hash } from 'viem'
import { paymasterOf } from '../../../rpc/paymaster/chain.ts'
import { ApiKeyParam, ChainIdParam } from '../../../rpc/paymaster/params.ts'
import type { PaymasterPort, Purse } from '../../../types/ports/paymaster.ts'
import { type Endpoint, type EndpointCall, type QueryField, withParams } from '../endpoint.ts'
import { AmountParam, readAmount } from '../fields.ts'
import { awaited, transactionFields } from '../transaction.ts'

const params = { amount: AmountParam, chainId: ChainIdParam, apiKey: ApiKeyParam }
const answer = Type.Object({ message: Type.String(), ...transactionFields })

/** `/v2` and `/v3` are for the tenant's own paymaster of that version. */
const own = { '/v2': { kind: 'own', version: '0.7' }, '/v3': { kind: 'own', version: '0.8' } } as const
/** Without a version: the shared paymaster of 0.6, or with useVp the tenant's own of 0.6. */
const ofCall = ({ useVp }: EndpointCall): Purse =>
  useVp ? { kind: 'own', version: '0.6' } : { kind: 'shared' }

type Variant = {
  suffix: string
  price: number
  query: readonly QueryField[]
  purse: (call: EndpointCall) => Purse
}

const variants: readonly Variant[] = [
  { suffix: '', price: 10, query: ['chainId', 'useVp', 'wait'], purse: ofCall },
  { suffix: '/v2', price: 5, query: ['chainId', 'wait'], purse: () => own['/v2'] },
  { suffix: '/v3', price: 5, query: ['chainId', 'wait'], purse: () => own['/v3'] },
]

export const depositEndpoints: readonly Endpoint[] = variants.flatMap(({ suffix, price, query, purse }) => [
  withParams({
    method: 'POST',
    path: `/deposit${suffix}`,
    summary: "From the tenant's wallet to its deposit",
    price,
    scope: 'admin',
    query,
    params,
    answer,
    handler: ({ amount }, call) =>
      moved(call, 'Successfully deposited', (paymaster) =>
        paymaster.deposit(call.caller, purse(call), readAmount(amount)),
      ),
  }),
  withParams({
    method: 'POST',
    path: `/withdraw${suffix}`,
    summary: "From the tenant's deposit back to its wallet",
    price: 10,
    scope: 'admin',
    query,
    params,
    answer,
    handler: ({ amount }, call) =>
      moved(call, 'Successfully withdrawn', (paymaster) =>
        paymaster.withdraw(call.caller, purse(call), readAmount(amount)),
      ),
  }),
])

async function moved(
  { service, chainId, wait }: EndpointCall,
  done: string,
  send: (paymaster: PaymasterPort) => Promise<Hash>,
) {
  const paymaster = paymasterOf(service.paymasters, chainId)
  const hash = await send(paymaster)
  return { message: `${done} with transaction Hash ${hash}`, ...(await awaited(hash, { paymaster, wait })) }
}
