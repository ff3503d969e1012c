import type { Budget } from '../../evm/budget.ts'
import { combineObservers } from '../../evm/combine-observers.ts'
import type { BlockEnvironment, ChainRules } from '../../evm/environment.ts'
import type { Observer } from '../../evm/observer.ts'
import type { Log, Outcome } from '../../evm/outcome.ts'
import { runMessage } from '../../evm/run-message.ts'
import { createState, type State } from '../../evm/state/state.ts'
import type { StateSource } from '../../evm/state-source.ts'
import { warmBeforehand } from '../../evm/transaction/warm.ts'
import type { Word } from '../../evm/word.ts'

/** A transaction of an account without code, as `eth_call` makes it: nothing is paid for it. */
export type EvmCall = {
  from: Word
  to: Word
  input: Uint8Array
  /** for the call itself, without what a transaction costs before */
  gas: number
  /** wei a gas */
  gasPrice: bigint
  budget: Budget
}

export type EvmCallEnd = { outcome: Outcome; logs: readonly Log[]; gasUsed: number }

/** @param watchers are given the state of the run @throws as `runMessage` */
export function runCall(
  { from, to, input, gas, gasPrice, budget }: EvmCall,
  {
    source,
    chain,
    block,
    watch,
  }: {
    source: StateSource
    chain: ChainRules
    block: BlockEnvironment
    watch: (state: State) => readonly Observer[]
  },
): EvmCallEnd {
  const state = createState(source)
  state.beginTransaction()
  warmBeforehand(state, [from, to, block.coinbase])
  const outcome = runMessage({
    message: { kind: 'call', caller: from, to, value: 0n, input, gas },
    state,
    environment: { chain, block, transaction: { origin: from, gasPrice, blobHashes: [] } },
    observer: combineObservers(watch(state)),
    budget,
  })
  const gasLeft = outcome.kind === 'halted' ? 0 : outcome.gasLeft
  return { outcome, logs: [...state.logs], gasUsed: gas - gasLeft }
}
