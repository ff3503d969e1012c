import type { Observer } from '../../evm/observer.ts'
import type { State } from '../../evm/state/state.ts'
import type { StateSource } from '../../evm/state-source.ts'
import { entryPoints } from '../../types/entrypoint.ts'
import type { HandledOperation, PhaseGas } from '../../types/explanation.ts'
import type { Phase } from '../../types/phase.ts'
import type { UserOperation } from '../../types/userop.ts'
import { type EvmWorld, handleOp } from '../handling/handle-op.ts'
import { createHandlingWatch, type HandlingFacts, handledParties } from '../handling/handling-watch.ts'
import { createLeniency } from '../handling/lenient.ts'
import { type CallTree, createCallTree } from './call-tree.ts'
import { createStorageWatch, type StorageWatch } from './touched-storage.ts'

/** Runs handleOps of `op` as if it were signed and due, and keeps all that it does. @throws as `runMessage` */
export function handleExplained(
  op: UserOperation,
  modules: EvmWorld & { source: StateSource },
): HandledOperation | undefined {
  const handling = createHandlingWatch(handledParties(op))
  const tree = createCallTree()
  const leniency = createLeniency(op.version)
  const entryPoint = BigInt(entryPoints[op.version].address)
  let storage: StorageWatch | undefined

  function watch(state: State): readonly Observer[] {
    storage = createStorageWatch({ entryPoint, phase: () => handling.current()?.phase }, { state })
    return [handling.observer, tree.observer, phaseNames(handling, tree), storage.observer, leniency.observer]
  }

  const { gasUsed } = handleOp(op, { ...modules, watch })
  const calls = tree.decoded()
  if (calls === undefined) return undefined
  const facts = handling.facts()
  return {
    phases: phasesOf(op, facts),
    verificationGas: facts.validation.verification,
    paymasterVerificationGas: facts.validation.paymasterVerification,
    gasUsed,
    calls,
    callsLeftOut: tree.leftOut(),
    storage: storage?.touched() ?? [],
  }
}

/** Names the calls in the tree that begin a phase. */
function phaseNames(handling: ReturnType<typeof createHandlingWatch>, tree: CallTree): Observer {
  return {
    enter(frame) {
      const [current, node] = [handling.current(), tree.current()]
      if (current?.depth === frame.depth && node !== undefined) node.phase = current.phase
    },
  }
}

function phasesOf(op: UserOperation, { phases }: HandlingFacts): PhaseGas[] {
  return [...phases].map(([phase, { outcome, gasUsed, leastGas }]) => ({
    ...{ phase, succeeded: outcome.kind === 'returned', gasUsed, leastGas },
    limit: limitOf(op, phase),
  }))
}

/** The limit that a phase falls under, in gas. */
function limitOf(op: UserOperation, phase: Phase): bigint {
  if (phase === 'execute') return op.callGasLimit
  if (op.version === '0.6' || phase === 'create' || phase === 'validate') return op.verificationGasLimit
  return phase === 'paymaster' ? op.paymasterVerificationGasLimit : op.paymasterPostOpGasLimit
}
