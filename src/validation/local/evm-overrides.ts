import type { Hex } from 'viem'
import type { Json } from '../../base/errors.ts'
import type { AccountOverride, StateOverrides as EvmOverrides } from '../../evm/state/overrides.ts'
import type { Word } from '../../evm/word.ts'
import type { StateOverrides } from '../../types/ports/simulator.ts'
import { bytesOfHex } from '../state/hex.ts'

/** Overrides of `eth_call` in the form that our own EVM takes; they are well-formed. */
export function evmOverrides(overrides: StateOverrides): EvmOverrides {
  return new Map(
    Object.entries(overrides).map(([address, fields]) => [
      BigInt(address),
      accountOverride(fields as Fields),
    ]),
  )
}

type Fields = { balance?: Hex; nonce?: Hex; code?: Hex; state?: Json; stateDiff?: Json }

function accountOverride({ balance, nonce, code, state, stateDiff }: Fields): AccountOverride {
  return {
    ...(balance === undefined ? {} : { balance: BigInt(balance) }),
    ...(nonce === undefined ? {} : { nonce: BigInt(nonce) }),
    ...(code === undefined ? {} : { code: codeOf(code) }),
    ...(state === undefined ? {} : { state: slotsOf(state) }),
    ...(stateDiff === undefined ? {} : { stateDiff: slotsOf(stateDiff) }),
  }
}

const slotsOf = (slots: Json): Map<Word, Word> =>
  new Map(Object.entries(slots as Record<Hex, Hex>).map(([slot, value]) => [BigInt(slot), BigInt(value)]))

/** Codes that are kept: those of the EntryPoints' simulations, over and over. */
const mostCodes = 8
/** bytes; smaller code is as well read anew */
const worthKeeping = 1024
const codes = new Map<Hex, Uint8Array>()

/** The same bytes for the same text: whoever analyses or hashes code can remember it by them. */
function codeOf(hex: Hex): Uint8Array {
  const known = codes.get(hex)
  if (known !== undefined) return known
  const code = bytesOfHex(hex)
  if (code.length >= worthKeeping) {
    const [oldest] = codes.keys()
    if (codes.size >= mostCodes && oldest !== undefined) codes.delete(oldest)
    codes.set(hex, code)
  }
  return code
}
