import { coldAccountGas } from '../access.ts'
import { create2Address, createAddress } from '../create-address.ts'
import type { Frame } from '../frame.ts'
import { allButOne64th, gas, wordsIn } from '../gas.ts'
import { halt } from '../halt.ts'
import { isActive } from '../hardfork.ts'
import { mostInitCode } from '../limits.ts'
import { programOf } from '../program.ts'
import type { Word } from '../word.ts'
import { type Handler, type Operation, operation } from './operation.ts'

/** The init code whose place is next on the stack, paid by the word (EIP-3860). */
function popInitCode(frame: Frame, wordGas: number): Uint8Array {
  const start = frame.pop()
  const size = Number(frame.pop())
  if (size > mostInitCode) halt('code-too-large')
  frame.charge(wordGas * wordsIn(size))
  return frame.ram.window(frame.reserve(start, size), size)
}

const noInput = new Uint8Array()
const noOutput = { offset: 0, size: 0 }

function createAt(
  frame: Frame,
  kind: 'create' | 'create2',
  address: Word,
  value: bigint,
  code: Uint8Array,
): void {
  const given = allButOne64th(frame.gas)
  frame.charge(given)
  frame.await({
    kind,
    caller: frame.address,
    address,
    codeAddress: address,
    value,
    input: noInput,
    isStatic: false,
    program: programOf(code),
    gas: given,
    output: noOutput,
  })
}

const create: Handler = (frame) => {
  frame.mustNotBeStatic()
  const value = frame.pop()
  const code = popInitCode(frame, gas.initCodeWord)
  const { state, address, environment } = frame
  const target = createAddress(environment.chain.keccak, address, state.nonce(address))
  createAt(frame, 'create', target, value, code)
}

/** EIP-1014 */
const create2: Handler = (frame) => {
  frame.mustNotBeStatic()
  const value = frame.pop()
  const code = popInitCode(frame, gas.initCodeWord + gas.keccakWord)
  const target = create2Address(frame.environment.chain.keccak, frame.address, frame.pop(), code)
  createAt(frame, 'create2', target, value, code)
}

/** Sends the balance away. Since EIP-6780 the account goes only if it came in the same transaction. */
const selfDestruct: Handler = (frame) => {
  frame.mustNotBeStatic()
  const { state, address, environment } = frame
  const beneficiary = frame.popAddress()
  // The one opcode without a warm price (EIP-2929).
  frame.charge(coldAccountGas(frame, beneficiary) === 0 ? 0 : gas.coldAccount)
  const balance = state.balance(address)
  if (balance !== 0n && state.isEmpty(beneficiary)) frame.charge(gas.newAccount)
  state.transfer(address, beneficiary, balance)
  if (!isActive('cancun', environment.chain.hardfork) || state.isCreated(address)) {
    state.setBalance(address, 0n)
    state.destroy(address)
  }
  frame.end({ kind: 'returned', output: noInput, gasLeft: frame.gas })
}

/** How contracts begin and end. */
export const creates: readonly Operation[] = [
  operation(0xf0, 'CREATE', gas.create, 3, 1, create),
  operation(0xf5, 'CREATE2', gas.create, 4, 1, create2),
  operation(0xff, 'SELFDESTRUCT', gas.selfDestruct, 1, 0, selfDestruct),
]
