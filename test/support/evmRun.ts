import type { Budget } from '../../src/evm/budget.ts'
import type { BlockEnvironment, ChainRules } from '../../src/evm/environment.ts'
import { type Hardfork, hardforks } from '../../src/evm/hardfork.ts'
import type { Message } from '../../src/evm/message.ts'
import type { Observer } from '../../src/evm/observer.ts'
import type { Outcome } from '../../src/evm/outcome.ts'
import { runMessage } from '../../src/evm/run-message.ts'
import { createState, type State } from '../../src/evm/state/state.ts'
import { type Word, wordOf } from '../../src/evm/word.ts'
import { evmChain, someBlock } from './evmChain.ts'
import { type SomeAccount, stateOf } from './evmState.ts'

export const chains = new Map<Hardfork, ChainRules>(
  await Promise.all(hardforks.map(async (hardfork) => [hardfork, await evmChain(hardfork)] as const)),
)

export function chainOf(hardfork: Hardfork): ChainRules {
  const chain = chains.get(hardfork)
  if (chain === undefined) throw new Error(hardfork)
  return chain
}

/** Who sends, and the account that has the code. */
export const caller = 0xca11e4n
export const contract = 0xc0den

export type Scene = {
  readonly hardfork?: Hardfork
  readonly chain?: ChainRules
  readonly block?: Partial<BlockEnvironment>
  readonly code?: Uint8Array
  /** Of `contract`. */
  readonly storage?: ReadonlyMap<Word, Word>
  readonly balance?: bigint
  /** Others. */
  readonly accounts?: ReadonlyMap<Word, SomeAccount>
  readonly warm?: readonly Word[]
  readonly message?: Partial<Extract<Message, { kind: 'call' }>>
  readonly observer?: Observer
  readonly stepLimit?: number
  /** Instead of `stepLimit`: shared with other runs. */
  readonly budget?: Budget
}

export type SceneResult = { readonly outcome: Outcome; readonly gasUsed: number; readonly state: State }

const gas = 10_000_000

export function stateOfScene({ code, storage, balance = 0n, accounts = new Map(), ...scene }: Scene): State {
  const { keccak } = scene.chain ?? chainOf(scene.hardfork ?? 'prague')
  const contractAccount = { nonce: 1n, balance, ...(code && { code }), ...(storage && { storage }) }
  const callerAccount = { nonce: 1n, balance: 10n ** 18n }
  const all = new Map<Word, SomeAccount>([[caller, callerAccount], [contract, contractAccount], ...accounts])
  const state = createState(stateOf(all, keccak))
  for (const address of scene.warm ?? []) state.warmAddress(address)
  return state
}

/** Runs a call of `contract`. */
export function run(scene: Scene, state = stateOfScene(scene)): SceneResult {
  const chain = scene.chain ?? chainOf(scene.hardfork ?? 'prague')
  const message: Message = {
    ...{ kind: 'call', caller, to: contract, value: 0n, input: new Uint8Array(), gas },
    ...scene.message,
  }
  const outcome = runMessage({
    ...{ message, state, budget: scene.budget ?? { steps: scene.stepLimit ?? 10_000_000 } },
    environment: {
      chain,
      block: { ...someBlock, ...scene.block },
      transaction: { origin: caller, gasPrice: 7n, blobHashes: [0xb10bn] },
    },
    ...(scene.observer && { observer: scene.observer }),
  })
  const gasUsed = message.gas - (outcome.kind === 'halted' ? 0 : outcome.gasLeft)
  return { outcome, gasUsed, state }
}

/** What the code returns, as one word. */
export function returned(scene: Scene): Word {
  const { outcome } = run(scene)
  if (outcome.kind !== 'returned') throw new Error(JSON.stringify(outcome.kind))
  return wordOf(outcome.output)
}
