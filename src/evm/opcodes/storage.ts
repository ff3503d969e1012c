import { gas } from '../gas.ts'
import { halt } from '../halt.ts'
import type { Slot } from '../state/account-record.ts'
import type { Word } from '../word.ts'
import { type Handler, type Operation, operation } from './operation.ts'

const load: Handler = (frame) => {
  const slot = frame.state.slot(frame.address, frame.pop())
  frame.charge(frame.state.warmSlot(slot) ? gas.coldSlot : gas.warm)
  frame.push(slot.value)
}

const store: Handler = (frame) => {
  frame.mustNotBeStatic()
  if (frame.gas <= gas.storeSentry) halt('out-of-gas')
  const { state } = frame
  const slot = state.slot(frame.address, frame.pop())
  const value = frame.pop()
  frame.charge((state.warmSlot(slot) ? gas.coldSlot : 0) + storeGas(slot, value))
  state.addRefund(storeRefund(slot, value))
  state.store(slot, value)
}

/** EIP-2200 with EIP-2929: only the first change of a slot in a transaction is paid in full. */
function storeGas({ value: current, original }: Readonly<Slot>, value: Word): number {
  if (value === current || current !== original) return gas.warm
  return original === 0n ? gas.storeSet : gas.storeReset
}

/** EIP-2200 with EIP-3529: for clearing a slot, taken back if it is set again; and for restoring what it was. */
function storeRefund({ value: current, original }: Readonly<Slot>, value: Word): number {
  if (value === current) return 0
  if (current === original) return original !== 0n && value === 0n ? gas.storeClearRefund : 0
  let refund = 0
  if (original !== 0n && current === 0n) refund -= gas.storeClearRefund
  if (original !== 0n && value === 0n) refund += gas.storeClearRefund
  if (value === original) refund += (original === 0n ? gas.storeSet : gas.storeReset) - gas.warm
  return refund
}

/** EIP-1153 */
const loadTransient: Handler = (frame) => {
  frame.push(frame.state.transient(frame.address, frame.pop()))
}

const storeTransient: Handler = (frame) => {
  frame.mustNotBeStatic()
  frame.state.setTransient(frame.address, frame.pop(), frame.pop())
}

export const storage: readonly Operation[] = [
  operation(0x54, 'SLOAD', 0, 1, 1, load),
  operation(0x55, 'SSTORE', 0, 2, 0, store),
  operation(0x5c, 'TLOAD', gas.warm, 1, 1, loadTransient, 'cancun'),
  operation(0x5d, 'TSTORE', gas.warm, 2, 0, storeTransient, 'cancun'),
]
