import type { ErrorWire } from '../base/errors.ts'
import type { StakeRequirement } from '../types/entity.ts'
import type { Held } from './held.ts'
import { isTrusted } from './limits.ts'
import type { Participant } from './participant.ts'
import type { Reputation } from './reputation.ts'

/** Codes that say whom validation blames (error table). */
const validationCodes = { from: -32507, to: -32500 }

/** Whom `reason` names among the participants of an operation; nobody when validation did not say. */
export function named({ account, helpers }: Held, { code, data }: ErrorWire): Participant | undefined {
  if (code < validationCodes.from || code > validationCodes.to) return undefined
  return [account, ...helpers].find(({ kind }) => kind === data?.entity)
}

/** EREP-015: a paymaster is not to suffer for an account or factory that fails before the bundle. */
export function paymasterWithoutGuilt(held: Held, reason: ErrorWire): Participant | undefined {
  const culprit = named(held, reason)
  if (culprit === undefined || culprit.kind === 'paymaster') return undefined
  return held.helpers.find(({ kind }) => kind === 'paymaster')
}

/**
 * GREP-040: who is answerable when an operation that passed validation fails its bundle. A staked factory is for its
 * account (EREP-020), a staked account for its paymaster (EREP-030), an unstaked account for nothing.
 */
export function answerable(
  held: Held,
  reason: ErrorWire,
  required: StakeRequirement,
  reputation: Reputation,
): Participant | undefined {
  const culprit = named(held, reason)
  const isStaked = (participant: Participant): boolean =>
    isTrusted(participant, held.entry.facts, required, reputation)
  const { account, helpers } = held
  switch (culprit?.kind) {
    case undefined:
    case 'factory':
      return culprit
    case 'paymaster':
      return isStaked(account) ? account : culprit
    case 'account':
      return (
        helpers.find((helper) => helper.kind === 'factory' && isStaked(helper)) ??
        (isStaked(account) ? account : undefined)
      )
  }
}
