import type { EntryPointUse, Parties, PhaseFacts } from './facts.ts'
import { addressOf, type Finding, type Scene } from './finding.ts'
import { callOpcodes, opcodeName, opcodes } from './opcodes.ts'

/** depositTo(address) */
const depositTo = 0xb760faf9

/** OP-054 with what OP-051, OP-052 and OP-053 allow. */
export function checkEntryPoint(phase: PhaseFacts, { facts }: Scene): readonly Finding[] {
  const { parties } = facts
  return phase.entryPointUses
    .filter((use) => !isAllowed(use, parties))
    .map(({ opcode, selector, inputSize }) => {
      const name = opcodeName(opcode)
      const isCall = callOpcodes.has(opcode) && inputSize >= 4
      const method = isCall ? ` with 0x${selector.toString(16).padStart(8, '0')}` : ''
      return {
        ...{ entity: phase.entity, address: addressOf(phase.address), rule: 'OP-054', opcode: name },
        did: `used the EntryPoint by ${name}${method}`,
        contract: addressOf(parties.entryPoint),
        hint: 'the account may send it value, the account or its factory may call depositTo for the account',
        liftedBy: undefined,
      }
    })
}

function isAllowed(use: EntryPointUse, { account, factory }: Parties): boolean {
  if (use.isZeroCheck) return true
  if (use.opcode !== opcodes.CALL) return false
  if (use.inputSize === 0) return use.by === account
  const isDeposit = use.selector === depositTo && use.argument === account
  return isDeposit && (use.by === account || use.by === factory)
}
