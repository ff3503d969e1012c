import type { Creation, OperationFacts, PhaseFacts } from './facts.ts'
import { addressOf, type Finding, hasStake, type RuleOptions, type Scene, whoIs } from './finding.ts'
import { opcodeName, opcodes } from './opcodes.ts'

/**
 * OP-011 for CREATE and OP-031 for CREATE2, with what OP-032, EREP-060 and EREP-061 allow. One CREATE2 that makes the
 * sender belongs to the deployment, whoever runs it there.
 */
export function checkCreations(phase: PhaseFacts, { facts, options }: Scene): readonly Finding[] {
  const deployment = phase.creations.findIndex((creation) => deploysAccount(creation, phase, facts))
  return phase.creations
    .filter((creation, index) => index !== deployment && !isAllowed(creation, phase, facts, options))
    .map(({ opcode, by, created }) => {
      const name = opcodeName(opcode)
      return {
        ...{ entity: phase.entity, address: addressOf(phase.address), opcode: name },
        rule: opcode === opcodes.CREATE ? 'OP-011' : 'OP-031',
        did: `created a contract by ${name}`,
        contract: addressOf(created ?? by),
        hint: 'validation may create the sender, once, by CREATE2 in its factory; more takes a staked factory',
        liftedBy: lifter({ opcode, by, created }, phase, facts),
      }
    })
}

function deploysAccount({ opcode, created }: Creation, phase: PhaseFacts, { parties }: OperationFacts) {
  return phase.entity === 'factory' && opcode === opcodes.CREATE2 && created === parties.account
}

function isAllowed(creation: Creation, phase: PhaseFacts, facts: OperationFacts, options: RuleOptions) {
  const { factory, account } = facts.parties
  if (factory === undefined) return false
  const isSenders = creation.opcode === opcodes.CREATE && creation.by === account
  if (isSenders) return true
  return hasStake('factory', options) && isForStakedFactory(creation, phase, facts)
}

/** EREP-060: the factory itself and the sender. EREP-061: for CREATE, what the factory calls too. */
function isForStakedFactory(creation: Creation, phase: PhaseFacts, { parties }: OperationFacts): boolean {
  if (creation.by === parties.factory || creation.by === parties.account) return true
  return creation.opcode === opcodes.CREATE && phase.entity === 'factory'
}

function lifter(creation: Creation, phase: PhaseFacts, facts: OperationFacts): Finding['liftedBy'] {
  return isForStakedFactory(creation, phase, facts) ? whoIs('factory', facts) : undefined
}
