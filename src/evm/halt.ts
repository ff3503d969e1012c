import type { HaltReason } from './outcome.ts'

/** Ends the frame that runs, inside this EVM only: outside it is an `Outcome`. */
export class Halt extends Error {
  override readonly name = 'Halt'
  constructor(readonly reason: HaltReason) {
    super(reason)
  }
}

/** Made once: hostile code halts often, and nobody reads their stack traces. */
const halts: Record<HaltReason, Halt> = {
  'out-of-gas': new Halt('out-of-gas'),
  'invalid-opcode': new Halt('invalid-opcode'),
  'stack-underflow': new Halt('stack-underflow'),
  'stack-overflow': new Halt('stack-overflow'),
  'invalid-jump': new Halt('invalid-jump'),
  'static-write': new Halt('static-write'),
  'return-data-out-of-bounds': new Halt('return-data-out-of-bounds'),
  'invalid-code': new Halt('invalid-code'),
  'code-too-large': new Halt('code-too-large'),
  'address-collision': new Halt('address-collision'),
  'precompile-failed': new Halt('precompile-failed'),
}

export function halt(reason: HaltReason): never {
  throw halts[reason]
}
