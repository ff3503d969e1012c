import { zeroAddress } from 'viem'
import type { BlockEnvironment, ChainRules } from '../../evm/environment.ts'
import type { Observer } from '../../evm/observer.ts'
import { runMessage } from '../../evm/run-message.ts'
import { withOverrides } from '../../evm/state/overrides.ts'
import { createState, type State } from '../../evm/state/state.ts'
import type { StateSource } from '../../evm/state-source.ts'
import type { Word } from '../../evm/word.ts'
import type { StateOverrides } from '../../types/ports/simulator.ts'
import type { CallOutcome, CallRequest } from '../eth-call.ts'
import { bytesOfHex, hexOfBytes } from '../state/hex.ts'
import { evmOverrides } from './evm-overrides.ts'

/** gas of a call that says nothing of it: what geth gives one, and more than any validation may use */
const defaultGas = 50_000_000
/**
 * Opcodes in a run. Those that 5 million gas of verification can pay for, at 2 gas each; they take a good second, and
 * only code that means harm takes more than a tenth of it.
 */
const mostSteps = 2_500_000

export type CallModules = {
  rules: ChainRules
  source: StateSource
  block: BlockEnvironment
  keccak: (bytes: Uint8Array) => Word
  /** Made for the state that the run begins with. */
  observe?: (state: State) => Observer
}

/**
 * `eth_call` in our own EVM: nobody pays for gas, and what it changes is forgotten.
 * @throws MissingState, Unsupported, StepsExceeded and what the observer throws
 */
export function runCall(
  { from = zeroAddress, to, data, gas, gasPrice }: CallRequest,
  overrides: StateOverrides,
  { rules, source, block, keccak, observe }: CallModules,
): CallOutcome {
  const state = createState(withOverrides(source, evmOverrides(overrides), remembering(keccak)))
  const [caller, target] = [BigInt(from), BigInt(to)]
  for (const address of [caller, target, block.coinbase, ...rules.precompiles.keys()])
    state.warmAddress(address)
  const isFree = gasPrice === undefined
  const outcome = runMessage({
    message: {
      ...{ kind: 'call', caller, to: target, value: 0n },
      ...{ input: bytesOfHex(data), gas: Number(gas ?? defaultGas) },
    },
    state,
    environment: {
      chain: keccak === rules.keccak ? rules : { ...rules, keccak },
      block: isFree ? { ...block, baseFee: 0n } : block,
      transaction: { origin: caller, gasPrice: BigInt(gasPrice ?? 0), blobHashes: [] },
    },
    stepLimit: mostSteps,
    ...(observe === undefined ? {} : { observer: observe(state) }),
  })
  return outcome.kind === 'returned'
    ? { kind: 'returned', data: hexOfBytes(outcome.output) }
    : { kind: 'reverted', data: outcome.kind === 'reverted' ? hexOfBytes(outcome.output) : '0x' }
}

const hashes = new WeakMap<Uint8Array, Word>()

/** The code of overrides is hashed at the beginning of every run, and there is little of it. */
const remembering =
  (keccak: CallModules['keccak']): CallModules['keccak'] =>
  (code) => {
    const hash = hashes.get(code) ?? keccak(code)
    hashes.set(code, hash)
    return hash
  }
