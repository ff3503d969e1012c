import type { Word } from '../../evm/word.ts'
import type { PhaseFacts } from './facts.ts'
import { addressOf, type Finding, nameOf, type RuleOptions, type Scene } from './finding.ts'
import { callOpcodes, opcodeName } from './opcodes.ts'

/** OP-062: precompiles up to this one, and P256VERIFY, look at nothing but their input. */
const lastCorePrecompile = 0x11n
const p256Verify = 0x100n

/** Addresses below are kept for what chains implement themselves: nobody has a key to one, or code at one. */
const leastAccountAddress = 0x1_0000n

/** OP-041 with OP-042, OP-061, OP-062 */
export function checkAccess(phase: PhaseFacts, { facts, options }: Scene): readonly Finding[] {
  const { parties } = facts
  const who = { entity: phase.entity, address: addressOf(phase.address), liftedBy: undefined }
  return [
    ...phase.uses.flatMap(({ opcode, address, hasCode }): Finding[] => {
      const isCall = callOpcodes.has(opcode)
      if (address === parties.account || (isCall && isAcceptedPrecompile(address, options))) return []
      const isCallOfPrecompile = isCall && isPrecompile(address)
      if (hasCode && !isCallOfPrecompile) return []
      const name = opcodeName(opcode)
      const found = { ...who, opcode: name, contract: addressOf(address) }
      if (isCallOfPrecompile) {
        const hint = 'only precompiles whose answer depends on nothing but their input may be called'
        return [{ ...found, rule: 'OP-062', did: `called precompile ${addressOf(address)}`, hint }]
      }
      const hint = isPrecompile(address)
        ? 'precompiles may be called; EXTCODEHASH tells whether one has coins, which anybody can change'
        : 'deploy the contract first; only the sender may be met without code, by its factory'
      const did = `used ${nameOf(address, parties)}, which has no code, by ${name}`
      return [{ ...found, rule: 'OP-041', did, hint }]
    }),
    ...phase.valueCalls.map(
      ({ opcode, to }): Finding => ({
        ...{ ...who, rule: 'OP-061', opcode: opcodeName(opcode), contract: addressOf(to) },
        did: `sent value to ${nameOf(to, parties)}`,
        hint: 'validation may send value to the EntryPoint only',
      }),
    ),
  ]
}

const isPrecompile = (address: Word): boolean => address > 0n && address < leastAccountAddress

function isAcceptedPrecompile(address: Word, { precompiles }: RuleOptions): boolean {
  return (address <= lastCorePrecompile || address === p256Verify) && precompiles.has(address)
}
