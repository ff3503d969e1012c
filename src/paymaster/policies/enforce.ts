import type { Address, Hex } from 'viem'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { Limits, Policy, Spent } from '../../types/paymaster/policy.ts'
import { PaymasterError } from '../paymaster-error.ts'

/** What a policy decides by, besides amounts. */
export type PolicyRequest = {
  sender: Address
  chainId: number
  version: EntryPointVersion
  /** ms since 1970 */
  now: number
  /** What the operation calls; `undefined` where its callData is not of a known form. */
  calls: readonly { to: Address; selector: Hex }[] | undefined
}

/** What counts against the limits before this operation: settled and reserved, without what this one replaces. */
export type Usage = { global: Spent; user: Spent }

/**
 * Whether the policy takes the operation, in the order of answers.md §2. `cost` is the most that it can cost.
 * @throws PaymasterError with a text and code of its own for each failure
 */
export function enforcePolicy(policy: Policy, request: PolicyRequest, cost: Spent, usage: Usage): void {
  if (!policy.isEnabled) throw no('policy_disabled', 'Sponsorship policy is disabled')
  if (!isInTime(policy, request.now))
    throw no('policy_not_in_time', 'Sponsorship policy is not in its time range')
  if (!isInScope(policy, request))
    throw no('policy_out_of_scope', 'Sponsorship policy does not cover this chain and EntryPoint version')
  if (policy.blockList?.includes(request.sender))
    throw no('sender_blocked', 'Sender is on the block list of the sponsorship policy')
  if (policy.allowList !== undefined && !policy.allowList.includes(request.sender))
    throw no('sender_not_allowed', 'Sender is not on the allow list of the sponsorship policy')
  if (!callsAreAllowed(policy, request))
    throw no('target_not_allowed', 'Sponsorship policy does not allow what the operation calls')
  const nothing: Spent = { usd: 0n, native: 0n, count: 0 }
  for (const { name, limits, before } of [
    { name: 'per operation', limits: policy.perOperation, before: nothing },
    { name: 'per user', limits: policy.perUser, before: usage.user },
    { name: 'global', limits: policy.global, before: usage.global },
  ] as const) {
    if (!limits.applicable) continue
    const exceeded = exceededMeasure(limits, before, cost)
    if (exceeded !== undefined)
      throw no(
        `${name.replace(' ', '_')}_limit_${exceeded}`,
        `Sponsorship policy's ${name} limit in ${measureNames[exceeded]} is exceeded`,
      )
  }
}

export function isInTime({ isPerpetual, startTime, endTime }: Policy, now: number): boolean {
  if (isPerpetual) return true
  return (startTime === undefined || startTime <= now) && (endTime === undefined || now < endTime)
}

export function isInScope(
  policy: Policy,
  { chainId, version }: { chainId: number; version: EntryPointVersion },
): boolean {
  const onChain = policy.isApplicableToAllNetworks || policy.enabledChains.includes(chainId)
  return onChain && policy.versions.includes(version)
}

const measureNames: Readonly<Record<keyof Spent, string>> = {
  usd: 'USD',
  native: 'native currency',
  count: 'operations',
}

const no = (reason: string, message: string): PaymasterError => new PaymasterError('refused', reason, message)

/** A call of unknown form might go anywhere: a policy that limits targets does not take it. */
function callsAreAllowed({ allowedTargets }: Policy, { calls }: PolicyRequest): boolean {
  if (allowedTargets === undefined) return true
  if (calls === undefined) return false
  return calls.every(({ to, selector }) =>
    allowedTargets.some((target) => target.address === to && target.selector === selector),
  )
}

function exceededMeasure(limits: Limits, before: Spent, cost: Spent): keyof Spent | undefined {
  const measures = ['usd', 'native', 'count'] as const
  return measures.find((measure) => {
    const limit = limits[measure]
    return limit !== undefined && BigInt(before[measure]) + BigInt(cost[measure]) > BigInt(limit)
  })
}
