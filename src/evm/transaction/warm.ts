import type { State } from '../state/state.ts'
import type { Word } from '../word.ts'
import type { AccessList } from './transaction.ts'

/** Warms what a transaction may use at the warm price from the start (EIP-2929, EIP-2930, EIP-3651). */
export function warmBeforehand(state: State, accounts: readonly Word[], accessList: AccessList = []): void {
  for (const address of accounts) state.warmAddress(address)
  for (const { address, slots } of accessList) {
    state.warmAddress(address)
    for (const key of slots) state.warmSlot(state.slot(address, key))
  }
}
