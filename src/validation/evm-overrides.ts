import type { Hex } from 'viem'
import type { AccountOverride, StateOverrides as EvmOverrides } from '../evm/state/overrides.ts'
import { type Word, wordMask } from '../evm/word.ts'
import type { StateOverrides } from '../types/ports/simulator.ts'
import { bytesOfHex } from './state/hex.ts'

type Slots = { readonly [slot: string]: Hex }
type Fields = {
  readonly balance?: Hex | null
  readonly nonce?: Hex | null
  readonly code?: Hex | null
  readonly state?: Slots | null
  readonly stateDiff?: Slots | null
}

/** Overrides as `eth_call` takes them, for our own EVM. Their form was checked at the border. */
export function evmOverridesOf(overrides: StateOverrides): EvmOverrides {
  return new Map(
    Object.entries(overrides).map(([address, fields]) => [BigInt(address), accountOf(fields as Fields)]),
  )
}

function accountOf({ balance, nonce, code, state, stateDiff }: Fields): AccountOverride {
  return {
    ...(balance ? { balance: wordOf(balance) } : {}),
    ...(nonce ? { nonce: wordOf(nonce) } : {}),
    ...(code ? { code: codeOf(code) } : {}),
    ...(state ? { state: slotsOf(state) } : {}),
    ...(stateDiff ? { stateDiff: slotsOf(stateDiff) } : {}),
  }
}

function slotsOf(slots: Slots): ReadonlyMap<Word, Word> {
  return new Map(Object.entries(slots).map(([slot, value]) => [BigInt(slot), wordOf(value)]))
}

const wordOf = (value: Hex): Word => (value === '0x' ? 0n : BigInt(value) & wordMask)

/** Codes that are kept: those of the EntryPoints' simulations come again and again. */
const mostCodes = 8
/** bytes; smaller code is as well read anew */
const worthKeeping = 1024
const codes = new Map<Hex, Uint8Array>()

/** The same bytes for the same text: whoever analyses or hashes code can remember it by them. */
function codeOf(hex: Hex): Uint8Array {
  const known = codes.get(hex)
  if (known !== undefined) return known
  const code = bytesOfHex(hex)
  if (code.length < worthKeeping) return code
  const [oldest] = codes.keys()
  if (codes.size >= mostCodes && oldest !== undefined) codes.delete(oldest)
  codes.set(hex, code)
  return code
}
