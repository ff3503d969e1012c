import { zeroAddress } from 'viem'
import type { Budget } from '../../evm/budget.ts'
import type { BlockEnvironment, ChainRules } from '../../evm/environment.ts'
import type { Observer } from '../../evm/observer.ts'
import { withOverrides } from '../../evm/state/overrides.ts'
import type { State } from '../../evm/state/state.ts'
import type { StateOverrides } from '../../types/ports/simulator.ts'
import type { CallOutcome, CallRequest } from '../eth-call.ts'
import { evmOverridesOf } from '../evm-overrides.ts'
import { runCall } from '../handling/run-call.ts'
import type { AttemptModules } from '../state/attempt.ts'
import { bytesOfHex, hexOfBytes } from '../state/hex.ts'

/** gas of a call that says nothing of it: what geth gives one, and more than any validation may use */
const defaultGas = 50_000_000

/**
 * A call as nodes take it, in our own EVM.
 * @throws MissingState, Unsupported, StepsExceeded and what a watcher throws
 */
export function runRequest(
  { from = zeroAddress, to, data, gas, gasPrice }: CallRequest,
  overrides: StateOverrides,
  {
    source,
    keccak,
    rules,
    block,
    budget,
    watch = () => [],
  }: AttemptModules & {
    rules: ChainRules
    block: BlockEnvironment
    budget: Budget
    watch?: (state: State) => readonly Observer[]
  },
): CallOutcome {
  const { outcome } = runCall(
    {
      ...{ from: BigInt(from), to: BigInt(to), input: bytesOfHex(data) },
      ...{ gas: Number(gas ?? defaultGas), gasPrice: BigInt(gasPrice ?? 0), budget },
    },
    {
      source: withOverrides(source, evmOverridesOf(overrides), keccak),
      chain: { ...rules, keccak },
      // Nodes forget the base fee where nobody pays for gas.
      block: gasPrice === undefined ? { ...block, baseFee: 0n } : block,
      watch,
    },
  )
  if (outcome.kind === 'returned') return { kind: 'returned', data: hexOfBytes(outcome.output) }
  return { kind: 'reverted', data: outcome.kind === 'reverted' ? hexOfBytes(outcome.output) : '0x' }
}
