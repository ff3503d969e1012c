import { coldAccountGas } from '../access.ts'
import type { Frame } from '../frame.ts'
import { gas, wordsIn } from '../gas.ts'
import type { Word } from '../word.ts'
import { type Handler, type Operation, operation, pushes } from './operation.ts'

/** What an opcode says about the account whose address it pops. */
const about =
  (read: (frame: Frame, address: Word) => Word): Handler =>
  (frame) => {
    const address = frame.popAddress()
    frame.charge(coldAccountGas(frame, address))
    frame.push(read(frame, address))
  }

/** EIP-1052, EIP-161: an empty account is as one that does not exist. */
const codeHashOf = ({ state }: Frame, address: Word): Word =>
  state.isEmpty(address) ? 0n : state.codeHash(address)

const codeSizeOf = ({ state }: Frame, address: Word): Word => BigInt(state.code(address).length)

const externalCodeCopy: Handler = (frame) => {
  const address = frame.popAddress()
  const target = frame.pop()
  const start = Number(frame.pop())
  const size = Number(frame.pop())
  frame.charge(coldAccountGas(frame, address) + gas.copyWord * wordsIn(size))
  const offset = frame.reserve(target, size)
  if (size > 0) frame.ram.write(offset, size, frame.state.code(address), start)
}

const ownAddress = pushes(({ address }) => address)
const balance = about(({ state }, address) => state.balance(address))
const caller = pushes(({ caller }) => caller)
const callValue = pushes(({ value }) => value)
const ownBalance = pushes(({ state, address }) => state.balance(address))

/** The frame's own account and others. Of a delegated account, the code is its designator (EIP-7702). */
export const accounts: readonly Operation[] = [
  operation(0x30, 'ADDRESS', gas.base, 0, 1, ownAddress),
  operation(0x31, 'BALANCE', gas.warm, 1, 1, balance),
  operation(0x33, 'CALLER', gas.base, 0, 1, caller),
  operation(0x34, 'CALLVALUE', gas.base, 0, 1, callValue),
  operation(0x3b, 'EXTCODESIZE', gas.warm, 1, 1, about(codeSizeOf)),
  operation(0x3c, 'EXTCODECOPY', gas.warm, 4, 0, externalCodeCopy),
  operation(0x3f, 'EXTCODEHASH', gas.warm, 1, 1, about(codeHashOf)),
  operation(0x47, 'SELFBALANCE', gas.low, 0, 1, ownBalance),
]
