import { Type } from '@sinclair/typebox'
import { formatAmount, nativeDigits, usdDigits } from '../../../paymaster/policies/amounts.ts'
import type { PolicyFilter } from '../../../paymaster/policies/policies.ts'
import { policyNotFound } from '../../../paymaster/policies/policy-not-found.ts'
import { formatPolicy, PolicyInput, PolicyOutput } from '../../../paymaster/policies/wire.ts'
import type { Limits, Spent } from '../../../types/paymaster/policy.ts'
import { type Endpoint, type EndpointCall, type PathFields, withBody, withPath } from '../endpoint.ts'
import { readPathChain, readPolicyId, readVersion } from '../fields.ts'

const Message = Type.Object({ message: Type.String() })
const Policies = Type.Array(PolicyOutput)
const read = { method: 'GET', price: 5, scope: 'read', query: [] } as const
const write = { price: 10, scope: 'admin', query: [] } as const
const PolicyUpdate = Type.Object({
  id: Type.Union([Type.String({ maxLength: 100 }), Type.Number()]),
  ...PolicyInput.properties,
})

/** Of the look-ups by wallet: which policies, by what follows in the path. */
const lookUps: readonly { path: string; filter: (path: PathFields) => PolicyFilter }[] = [
  { path: '', filter: () => ({}) },
  { path: '/chainId/{chainId}', filter: (path) => ({ chainId: readPathChain(path) }) },
  { path: '/epVersion/{epVersion}', filter: (path) => ({ version: readVersion(path) }) },
  {
    path: '/epVersion/{epVersion}/chainId/{chainId}',
    filter: (path) => ({ version: readVersion(path), chainId: readPathChain(path) }),
  },
]

const byWallet: readonly Endpoint[] = lookUps.flatMap(({ path, filter }) => [
  withPath({
    ...read,
    path: `/policy/walletAddress/{walletAddress}${path}`,
    summary: "The caller's policies, newest first; those in force where a chain or a version is named",
    answer: Policies,
    handler: (fields, call) => listed(call, filter(fields)),
  }),
  withPath({
    ...read,
    path: `/policy/walletAddress/{walletAddress}${path}/latest`,
    summary: "The newest of the caller's policies in force",
    answer: PolicyOutput,
    handler(fields, call) {
      const [latest] = listed(call, { ...filter(fields), inForce: true })
      if (latest === undefined) throw policyNotFound()
      return latest
    },
  }),
])

const switches = (['enable', 'disable'] as const).map((verb) =>
  withPath({
    ...write,
    method: 'PUT',
    path: `/${verb}Policy/{id}`,
    summary: `${verb === 'enable' ? 'Enables' : 'Disables'} a policy`,
    answer: Message,
    async handler(fields, { caller, service }) {
      const id = readPolicyId(fields.id)
      await service.policies.setEnabled(caller, id, verb === 'enable')
      return { message: `Successfully ${verb}d policy with id ${id}` }
    },
  }),
)

/** What a policy has spent and promised, and what is left of its global limits; null where there is no limit. */
const Usage = Type.Object({
  id: Type.Integer(),
  usedUsd: Type.String(),
  usedNative: Type.String(),
  usedOpCount: Type.Integer(),
  remainingUsd: Type.Union([Type.String(), Type.Null()]),
  remainingNative: Type.Union([Type.String(), Type.Null()]),
  remainingOpCount: Type.Union([Type.Integer(), Type.Null()]),
})

export const policyEndpoints: readonly Endpoint[] = [
  withBody({
    ...write,
    method: 'POST',
    path: '/addPolicy',
    summary: 'Makes a sponsorship policy',
    body: PolicyInput,
    answer: PolicyOutput,
    async handler(body, { caller, service }) {
      return formatPolicy(await service.policies.add(caller, body), caller.tenant.walletAddress)
    },
  }),
  withBody({
    ...write,
    method: 'PUT',
    path: '/updatePolicy',
    summary: 'Changes what is sent of a sponsorship policy, and keeps the rest',
    body: PolicyUpdate,
    answer: PolicyOutput,
    async handler({ id, ...body }, { caller, service }) {
      const changed = await service.policies.update(caller, readPolicyId(id), body)
      return formatPolicy(changed, caller.tenant.walletAddress)
    },
  }),
  withPath({
    ...write,
    method: 'DELETE',
    path: '/deletePolicy/{id}',
    summary: 'Removes a policy; what it has promised still counts',
    answer: Message,
    async handler(fields, { caller, service }) {
      const id = readPolicyId(fields.id)
      await service.policies.remove(caller, id)
      return { message: `Successfully deleted policy with id ${id}` }
    },
  }),
  ...switches,
  withPath({
    ...read,
    path: '/policy',
    summary: "All of the caller's policies, newest first",
    answer: Policies,
    handler: (_fields, call) => listed(call, {}),
  }),
  withPath({
    ...read,
    path: '/policy/{id}',
    summary: 'A policy of the caller',
    answer: PolicyOutput,
    handler: (fields, { caller, service }) =>
      formatPolicy(service.policies.get(caller, readPolicyId(fields.id)), caller.tenant.walletAddress),
  }),
  withPath({
    ...read,
    path: '/policy/{id}/usage',
    summary: 'What a policy has spent and promised',
    answer: Usage,
    handler(fields, { caller, service }) {
      const { id, global } = service.policies.get(caller, readPolicyId(fields.id))
      const spent = service.spent(id)
      return {
        id,
        usedUsd: formatAmount(spent.usd, usdDigits),
        usedNative: formatAmount(spent.native, nativeDigits),
        usedOpCount: spent.count,
        ...remaining(global, spent),
      }
    },
  }),
  ...byWallet,
]

function listed({ caller, service }: EndpointCall, filter: PolicyFilter) {
  const found = service.policies.list(caller, filter)
  if (found.length === 0) throw policyNotFound()
  return found.map((policy) => formatPolicy(policy, caller.tenant.walletAddress))
}

function remaining({ applicable, ...limits }: Limits & { applicable: boolean }, spent: Spent) {
  const { usd, native, count }: Limits = applicable
    ? limits
    : { usd: undefined, native: undefined, count: undefined }
  const left = (limit: bigint, used: bigint) => (limit > used ? limit - used : 0n)
  return {
    remainingUsd: usd === undefined ? null : formatAmount(left(usd, spent.usd), usdDigits),
    remainingNative: native === undefined ? null : formatAmount(left(native, spent.native), nativeDigits),
    remainingOpCount: count === undefined ? null : Math.max(0, count - spent.count),
  }
}
