import { coldAccountGas } from '../access.ts'
import { runnableCode } from '../delegation.ts'
import type { Frame, FrameRequest } from '../frame.ts'
import { allButOne64th, gas } from '../gas.ts'
import { programOf } from '../program.ts'
import type { Word } from '../word.ts'
import { type Handler, type Operation, operation } from './operation.ts'

/** Who the called code thinks it is, who called it, and with how much: all that the four calls differ in. */
type Identity = Pick<FrameRequest, 'kind' | 'caller' | 'address' | 'value' | 'isStatic'>

type Area = { readonly offset: number; readonly size: number }

function popArea(frame: Frame): Area {
  const start = frame.pop()
  const size = Number(frame.pop())
  return { offset: frame.reserve(start, size), size }
}

/** Calls the code of `target`. What is left on the stack: where the input is, and where the output goes. */
function call(frame: Frame, requestedGas: number, target: Word, identity: Identity): void {
  const input = popArea(frame)
  const output = popArea(frame)
  frame.charge(coldAccountGas(frame, target) + valueGas(frame, identity))
  const { code, delegate } = runnableCode(frame.shared, target)
  if (delegate !== undefined) frame.charge(gas.warm + coldAccountGas(frame, delegate))
  const given = Math.min(requestedGas, allButOne64th(frame.gas))
  frame.charge(given)
  frame.await({
    ...identity,
    codeAddress: target,
    input: frame.ram.window(input.offset, input.size),
    program: programOf(code),
    gas: paysValue(identity) ? given + gas.callStipend : given,
    output,
  })
}

const paysValue = ({ kind, value }: Identity): boolean =>
  value !== 0n && (kind === 'call' || kind === 'callcode')

function valueGas({ state }: Frame, identity: Identity): number {
  if (!paysValue(identity)) return 0
  const makesAccount = identity.kind === 'call' && state.isEmpty(identity.address)
  return gas.callValue + (makesAccount ? gas.newAccount : 0)
}

const callCode: Handler = (frame) => {
  const requestedGas = Number(frame.pop())
  const target = frame.popAddress()
  const { address, isStatic } = frame
  call(frame, requestedGas, target, {
    kind: 'callcode',
    caller: address,
    address,
    value: frame.pop(),
    isStatic,
  })
}

const callAccount: Handler = (frame) => {
  const requestedGas = Number(frame.pop())
  const target = frame.popAddress()
  const value = frame.pop()
  if (value !== 0n) frame.mustNotBeStatic()
  const { address: caller, isStatic } = frame
  call(frame, requestedGas, target, { kind: 'call', caller, address: target, value, isStatic })
}

/** EIP-7 */
const delegateCall: Handler = (frame) => {
  const requestedGas = Number(frame.pop())
  const target = frame.popAddress()
  const { caller, address, value, isStatic } = frame
  call(frame, requestedGas, target, { kind: 'delegatecall', caller, address, value, isStatic })
}

/** EIP-214 */
const staticCall: Handler = (frame) => {
  const requestedGas = Number(frame.pop())
  const target = frame.popAddress()
  const { address: caller } = frame
  call(frame, requestedGas, target, {
    kind: 'staticcall',
    caller,
    address: target,
    value: 0n,
    isStatic: true,
  })
}

export const calls: readonly Operation[] = [
  operation(0xf1, 'CALL', gas.warm, 7, 1, callAccount),
  operation(0xf2, 'CALLCODE', gas.warm, 7, 1, callCode),
  operation(0xf4, 'DELEGATECALL', gas.warm, 6, 1, delegateCall),
  operation(0xfa, 'STATICCALL', gas.warm, 6, 1, staticCall),
]
