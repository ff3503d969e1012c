import type { Frame } from './frame.ts'
import { gas } from './gas.ts'
import type { Word } from './word.ts'

/**
 * What the first access to an account in a transaction costs beyond `gas.warm`, which opcodes have as static gas;
 * warms it (EIP-2929). Precompiles are always warm.
 */
export function coldAccountGas({ state, environment }: Frame, address: Word): number {
  if (environment.chain.precompiles.has(address)) return 0
  return state.warmAddress(address) ? gas.coldAccount - gas.warm : 0
}
