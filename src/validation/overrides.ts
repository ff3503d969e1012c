import { type Address, concatHex, type Hex, numberToHex, padHex } from 'viem'
import type { Json } from '../base/errors.ts'
import { keccak256 } from '../base/keccak.ts'
import type { StateOverrides } from '../types/ports/simulator.ts'
import { depositsSlot, noncesSlot } from './entry-point-slots.ts'

const word = (value: bigint): Hex => numberToHex(value, { size: 32 })
const addressWord = (address: Address): Hex => padHex(address.toLowerCase() as Hex, { size: 32 })

/** `nonceSequenceNumber[sender][key]` of the EntryPoint becomes `sequence`. */
export function nonceOverride(
  entryPoint: Address,
  sender: Address,
  key: bigint,
  sequence: bigint,
): StateOverrides {
  const ofSender = keccak256(concatHex([addressWord(sender), word(noncesSlot)]))
  const slot = keccak256(concatHex([word(key), ofSender]))
  return { [entryPoint]: { stateDiff: { [slot]: word(sequence) } } }
}

/** `deposits[account].deposit` of the EntryPoint becomes `wei` (below 2^112); in 0.6 its stake is lost with it. */
export function depositOverride(entryPoint: Address, account: Address, wei: bigint): StateOverrides {
  return { [entryPoint]: { stateDiff: { [depositSlot(account)]: word(wei) } } }
}

/** Where an EntryPoint has `deposits[account].deposit`: in 0.6 the low 112 bits, later the whole slot. */
export function depositSlot(account: Address): Hex {
  return keccak256(concatHex([addressWord(account), word(depositsSlot)]))
}

/** The EIP-7702 designator: what the sender's code will be once its authorization is applied. */
export function delegationOverride(sender: Address, delegate: Address): StateOverrides {
  return { [sender]: { code: concatHex(['0xef0100', delegate]) } }
}

type Fields = { readonly [field: string]: Json | undefined }

/** One set out of many; for the same field of an account the later one wins, slot by slot. */
export function mergeOverrides(...sets: readonly (StateOverrides | undefined)[]): StateOverrides {
  const merged: Record<Address, Fields> = {}
  for (const set of sets) {
    for (const [address, fields] of Object.entries(set ?? {})) {
      const account = address.toLowerCase() as Address
      merged[account] = mergeAccount(merged[account] ?? {}, fieldsOf(fields))
    }
  }
  return merged as StateOverrides
}

/** Nodes refuse `state` (all slots) beside `stateDiff` (some): the second goes into the first. */
function mergeAccount(before: Fields, after: Fields): Fields {
  const slots = { ...fieldsOf(before.stateDiff), ...fieldsOf(after.stateDiff) }
  const state = after.state ?? before.state
  const rest = { ...before, ...after }
  if (state !== undefined) return { ...rest, state: { ...fieldsOf(state), ...slots }, stateDiff: undefined }
  return Object.keys(slots).length === 0 ? rest : { ...rest, stateDiff: slots }
}

function fieldsOf(value: Json | undefined): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}
