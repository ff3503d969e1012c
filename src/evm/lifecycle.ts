import { spend, stepsAPrecompileGas } from './budget.ts'
import type { Frame } from './frame.ts'
import { gas } from './gas.ts'
import { deepest, lastNonce, mostCode } from './limits.ts'
import type { HaltReason, Outcome } from './outcome.ts'
import type { Precompile } from './precompile.ts'

const noBytes = new Uint8Array()

/** Begins a frame, after which it has an outcome already or is ready for the interpreter. */
export function begin(frame: Frame): void {
  const refusal = refusalOf(frame)
  if (refusal !== undefined) frame.end({ kind: 'refused', reason: refusal, gasLeft: frame.gas })
  else if (frame.isCreation) beginCreation(frame)
  else beginCall(frame)
}

function refusalOf(frame: Frame): Extract<Outcome, { kind: 'refused' }>['reason'] | undefined {
  const { state, kind, caller, value } = frame
  if (frame.depth > deepest) return 'depth'
  if (value !== 0n && kind !== 'delegatecall' && state.balance(caller) < value) return 'balance'
  if (frame.isCreation && state.nonce(caller) === lastNonce) return 'nonce'
  return undefined
}

function beginCall(frame: Frame): void {
  const { state, kind, caller, address, value } = frame
  frame.snapshot = state.snapshot()
  if (kind === 'call' || kind === 'staticcall') state.transfer(caller, address, value)
  const precompile = frame.environment.chain.precompiles.get(frame.codeAddress)
  if (precompile !== undefined) runPrecompile(frame, precompile)
  else if (frame.code.length === 0) frame.end({ kind: 'returned', output: noBytes, gasLeft: frame.gas })
}

function runPrecompile(frame: Frame, precompile: Precompile): void {
  const price = precompile.gas(frame.input)
  const gasLeft = frame.gas - price
  if (gasLeft < 0) {
    frame.end({ kind: 'halted', reason: 'out-of-gas' })
    return
  }
  spend(frame.shared.budget, price * stepsAPrecompileGas)
  const output = precompile.run(frame.input)
  if (output === undefined) frame.end({ kind: 'halted', reason: 'precompile-failed' })
  else frame.end({ kind: 'returned', output, gasLeft })
}

/** The nonce is used up and the address is warm even if the creation fails (EIP-2929). */
function beginCreation(frame: Frame): void {
  const { state, caller, address, value } = frame
  state.setNonce(caller, state.nonce(caller) + 1n)
  state.warmAddress(address)
  frame.snapshot = state.snapshot()
  if (state.isTaken(address)) frame.end({ kind: 'halted', reason: 'address-collision' })
  else {
    state.createAccount(address)
    state.transfer(caller, address, value)
  }
}

/** Settles what a frame with an outcome leaves behind. @returns the outcome, which a creation may still change */
export function finish(frame: Frame, outcome: Outcome): Outcome {
  const settled = frame.isCreation && outcome.kind === 'returned' ? deploy(frame, outcome) : outcome
  if (settled.kind === 'reverted' || settled.kind === 'halted') frame.state.revert(frame.snapshot)
  return settled
}

/** Makes what init code returned the code of its account. */
function deploy(frame: Frame, outcome: Extract<Outcome, { kind: 'returned' }>): Outcome {
  const { output } = outcome
  const gasLeft = outcome.gasLeft - gas.codeDeposit * output.length
  const fault = deploymentFault(output, gasLeft)
  if (fault !== undefined) return { kind: 'halted', reason: fault }
  if (output.length > 0) {
    frame.state.setCode(frame.address, output.slice(), frame.environment.chain.keccak(output))
  }
  return { kind: 'returned', output, gasLeft }
}

function deploymentFault(code: Uint8Array, gasLeft: number): HaltReason | undefined {
  if (code.length > mostCode) return 'code-too-large'
  // EIP-3541
  if (code[0] === 0xef) return 'invalid-code'
  return gasLeft < 0 ? 'out-of-gas' : undefined
}

/** Tells a frame how the child ended that it waited for. */
export function resume(frame: Frame, child: Frame, outcome: Outcome): void {
  if (outcome.kind !== 'halted') frame.gas += outcome.gasLeft
  const output = outcome.kind === 'returned' || outcome.kind === 'reverted' ? outcome.output : noBytes
  const succeeded = outcome.kind === 'returned'
  if (child.isCreation) {
    frame.returnData = succeeded ? noBytes : output
    frame.push(succeeded ? child.address : 0n)
  } else {
    const { offset, size } = child.output
    frame.returnData = output
    frame.ram.write(offset, Math.min(size, output.length), output, 0)
    frame.push(succeeded ? 1n : 0n)
  }
}
