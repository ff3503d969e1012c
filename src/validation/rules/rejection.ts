import { numberToHex } from 'viem'
import { InvalidParams, TandemError } from '../../base/errors.ts'
import type { StakeRequirement } from '../../types/entity.ts'
import type { Finding } from './finding.ts'

/** An operation that breaks several rules is told the worst: what no stake would lift. */
export function worstOf(findings: readonly Finding[]): Finding | undefined {
  return findings.find(({ liftedBy }) => liftedBy === undefined) ?? findings[0]
}

/**
 * The error of the table: -32502; -32505 where stake is all that is missing, which then names who has to be staked;
 * -32602 where another limit would do.
 */
export function rejectionOfFinding(finding: Finding, required: StakeRequirement): TandemError {
  const { entity, address, rule, did, opcode, slot, contract, hint, liftedBy, needs } = finding
  const message = `${entity} ${did}`
  const facts = { rule, ...(liftedBy ?? { entity, address }), opcode, slot, contract, hint }
  const named = facts.entity === 'paymaster' ? { ...facts, paymaster: facts.address } : facts
  if (needs !== undefined) {
    return new InvalidParams(message, { ...named, path: needs.path, atLeast: numberToHex(needs.atLeast) })
  }
  if (liftedBy === undefined) return new TandemError(-32502, message, named)
  return new TandemError(-32505, `${message}: ${liftedBy.entity} is not staked`, {
    ...named,
    minimumStake: numberToHex(required.minStake),
    minimumUnstakeDelay: numberToHex(required.minUnstakeDelay),
  })
}
