import { gas, wordsIn } from '../gas.ts'
import { type Hardfork, isActive } from '../hardfork.ts'
import type { Transaction } from './transaction.ts'

const transactionGas = 21_000
/** A zero byte of data is one token, any other byte four (EIP-2028, named by EIP-7623). */
const tokensOfByte = 4
const tokenGas = 4
/** EIP-7623 */
const floorTokenGas = 10
/** EIP-2930 */
const listedAddress = 2400
const listedSlot = 1900
/** EIP-7702, as if the account did not exist yet */
export const authorizationGas = 25_000

/** What a transaction pays before it begins. */
export function intrinsicGas({ data, to, accessList = [], authorizations = [] }: Transaction): number {
  let total = transactionGas + tokenGas * tokensIn(data) + authorizationGas * authorizations.length
  for (const { slots } of accessList) total += listedAddress + listedSlot * slots.length
  if (to === undefined) total += gas.create + gas.initCodeWord * wordsIn(data.length)
  return total
}

/** EIP-7623: the least it pays, for its data alone. */
export function floorGas({ data }: Transaction, hardfork: Hardfork): number {
  return isActive('prague', hardfork) ? transactionGas + floorTokenGas * tokensIn(data) : 0
}

function tokensIn(data: Uint8Array): number {
  let tokens = 0
  for (const byte of data) tokens += byte === 0 ? 1 : tokensOfByte
  return tokens
}
