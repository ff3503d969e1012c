import type { Case } from './case.ts'
import type { Difference } from './compare.ts'

/** All that is needed to run it again by hand. */
export function printed({ hardfork, accounts, message }: Case, difference: Difference): string {
  const code = (bytes: Uint8Array) => (bytes.length === 0 ? 'no code' : bytes.toHex())
  const lines = accounts.map(({ address, balance, nonce, storage, code: bytes }) => {
    const slots = [...storage].map(([slot, value]) => `${slot}=${value}`).join(' ')
    return `  ${address.toString(16)} balance ${balance} nonce ${nonce} storage {${slots}}\n    ${code(bytes)}`
  })
  const given =
    message.kind === 'call'
      ? `to ${message.to.toString(16)} input ${message.input.toHex()}`
      : code(message.initCode)
  return [
    `  ${hardfork} ${message.kind} value ${message.value} gas ${message.gas} ${given}`,
    ...lines,
    `  ours   ${JSON.stringify(difference.ours)}`,
    `  theirs ${JSON.stringify(difference.theirs)}`,
  ].join('\n')
}
