import type { PhaseFacts } from './facts.ts'
import { addressOf, type Finding, hasStake, type Scene } from './finding.ts'
import { balanceOpcodes, environmentOpcodes, opcodeName, opcodes } from './opcodes.ts'

/** OP-011, OP-012, OP-013, OP-020, OP-080 */
export function checkOpcodes(phase: PhaseFacts, { options }: Scene): readonly Finding[] {
  const who = { entity: phase.entity, address: addressOf(phase.address) }
  return [
    ...phase.opcodes.flatMap((use): Finding[] => {
      const name = opcodeName(use.opcode)
      const common = { ...who, did: `used opcode ${name}`, opcode: name, contract: addressOf(use.by) }
      if (environmentOpcodes.has(use.opcode)) {
        const hint = 'what the block or the transaction is like may not decide over validation'
        return [{ ...common, rule: 'OP-011', hint, liftedBy: undefined }]
      }
      if (use.opcode === opcodes.GAS) {
        const hint = 'GAS may only stand right before a call'
        return [{ ...common, rule: 'OP-012', hint, liftedBy: undefined }]
      }
      if (balanceOpcodes.has(use.opcode) && !hasStake(phase.entity, options)) {
        return [{ ...common, rule: 'OP-080', hint: 'only a staked entity may read balances', liftedBy: who }]
      }
      return []
    }),
    ...phase.unassigned.map(({ opcode, by }): Finding => {
      const name = opcodeName(opcode)
      return {
        ...{ ...who, rule: 'OP-013', did: `used unassigned opcode ${name}`, opcode: name },
        ...{ contract: addressOf(by), hint: 'a later hardfork may give it a meaning', liftedBy: undefined },
      }
    }),
    ...phase.exhausted.map(
      (by): Finding => ({
        ...{ ...who, rule: 'OP-020', did: 'ran out of gas', contract: addressOf(by) },
        ...{ hint: 'raise the verification gas limits, or give inner calls the gas they need' },
        liftedBy: undefined,
      }),
    ),
  ]
}
