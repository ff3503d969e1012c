import type { OperationFacts } from './facts.ts'
import { addressOf, type Finding, nameOf, whoIs } from './finding.ts'
import { opcodeName } from './opcodes.ts'

/** AUTH-020 and AUTH-030: accounts that delegate by EIP-7702 are good for the sender alone. */
export function checkDelegations(facts: OperationFacts): readonly Finding[] {
  const { parties, codes, phases } = facts
  const delegating = new Set(
    codes.flatMap(({ address, delegate }) =>
      delegate === undefined || address === parties.account ? [] : [address],
    ),
  )
  if (delegating.size === 0) return []
  return [
    ...(['factory', 'paymaster'] as const).flatMap((entity): Finding[] => {
      const who = whoIs(entity, facts)
      const address = parties[entity]
      if (who === undefined || address === undefined || !delegating.has(address)) return []
      const hint = 'use a deployed contract: its owner could change an EIP-7702 account at any time'
      return [{ ...who, rule: 'AUTH-020', did: 'is an EIP-7702 account', hint, liftedBy: undefined }]
    }),
    ...phases.flatMap(({ entity, address, uses }) =>
      uses
        .filter((use) => delegating.has(use.address))
        .map(
          (use): Finding => ({
            ...{ entity, address: addressOf(address), rule: 'AUTH-030', opcode: opcodeName(use.opcode) },
            did: `used EIP-7702 account ${nameOf(use.address, parties)} by ${opcodeName(use.opcode)}`,
            contract: addressOf(use.address),
            hint: 'of EIP-7702 accounts, validation may use the sender only',
            liftedBy: undefined,
          }),
        ),
    ),
  ]
}
