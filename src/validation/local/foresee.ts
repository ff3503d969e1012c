import type { Word } from '../../evm/word.ts'
import { encodeHandleOps, entryPoints } from '../../types/entrypoint.ts'
import type { StateOverrides } from '../../types/ports/simulator.ts'
import { factoryOf, nonceKey, paymasterOf, type UserOperation } from '../../types/userop.ts'
import { bundlerAddress } from '../bundler-address.ts'
import { beneficiary, handleOpCall } from '../handling/handle-op.ts'
import { mergeOverrides } from '../overrides.ts'
import { simulateHandleOpCall, simulationOverride } from '../simulation.ts'
import type { BlockView } from '../state/block-view.ts'
import { type ChainState, mostRounds } from '../state/chain-state.ts'
import type { Foreseen, TraceableCall } from '../state/foresight/foreseen.ts'
import type { Shape } from '../state/foresight/patterns.ts'
import { addKeys, addSlot, noKeys, type StateKeys } from '../state/keys.ts'
import type { BlockHeader } from './block-header.ts'
import { depositSlots, guardSlot, nonceSlot } from './entry-point-storage.ts'

type Modules = { view: BlockView; state: Pick<ChainState, 'entryHash' | 'lastingCode'> }

/** What the validation of an operation reads, before anything of it has run. */
export function foreseeValidation(op: UserOperation, call: TraceableCall, modules: Modules): Foreseen {
  return {
    ...foreseeParts(op, modules),
    call,
    alike: { to: entryPoints[op.version].address, data: encodeHandleOps(op.version, [op], op.sender) },
  }
}

/** What handleOps of an operation reads whose signature nobody minds, on state with `overrides`. */
export function foreseeHandling(
  op: UserOperation,
  overrides: StateOverrides,
  modules: Modules & { header: BlockHeader },
): Foreseen {
  const { names, roles } = shapeOf(op, modules)
  return {
    known: handlingParts(op, modules),
    // With simulateHandleOp, as handleOps would stop at a wrong signature.
    call: {
      request: simulateHandleOpCall(op),
      overrides: mergeOverrides(overrides, simulationOverride(op.version)),
      coinbase: modules.header.coinbase,
      beside: handlingParts(op, modules),
    },
    alike: handleOpCall(op),
    shapes: [{ names: names.map((name) => `handling ${name} ${op.callData.slice(0, 10)}`), roles }],
  }
}

function handlingParts(op: UserOperation, modules: Modules): StateKeys {
  const keys = partsOf(op, modules.state)
  for (const address of [bundlerAddress, beneficiary]) keys.accounts.add(BigInt(address))
  return keys
}

/** The same without asking a node how the run would go. */
export function foreseeParts(op: UserOperation, modules: Modules): Foreseen {
  return { known: partsOf(op, modules.state), shapes: [shapeOf(op, modules)] }
}

/** What every operation like this one reads: who takes part, and what the EntryPoint keeps of them. */
function partsOf(op: UserOperation, { entryHash }: Pick<ChainState, 'entryHash'>): StateKeys {
  const keys = noKeys()
  const entryPoint = BigInt(entryPoints[op.version].address)
  keys.accounts.add(entryPoint)
  const guard = guardSlot[op.version]
  if (guard !== undefined) addSlot(keys, entryPoint, guard)
  addSlot(keys, entryPoint, nonceSlot(op, entryHash))
  for (const party of entitiesOf(op)) {
    keys.accounts.add(party)
    for (const slot of depositSlots(party, entryHash)) addSlot(keys, entryPoint, slot)
  }
  if (op.eip7702Auth !== undefined) keys.accounts.add(BigInt(op.eip7702Auth.address))
  // Whether an account may be made there (EIP-684).
  if (factoryOf(op) !== undefined) keys.nonces.add(BigInt(op.sender))
  return keys
}

const entitiesOf = (op: UserOperation): readonly Word[] =>
  [op.sender, factoryOf(op), paymasterOf(op)].flatMap((party) => (party === undefined ? [] : BigInt(party)))

/** What the validations of a bundle read. Each might take as many rounds as it did alone. */
export function foreseeBundle(
  ops: readonly UserOperation[],
  call: TraceableCall,
  modules: Modules,
): Foreseen {
  const known = noKeys()
  const stakes = noKeys()
  for (const op of ops) {
    addKeys(known, partsOf(op, modules.state))
    addStakes(stakes, op, modules.state)
  }
  return {
    ...{ known, call: { ...call, beside: stakes } },
    ...{ alike: call.request, mostRounds: mostRounds * ops.length },
    shapes: ops.map((op) => shapeOf(op, modules)),
  }
}

/** The rules ask for stakes; handleOps itself does not. */
function addStakes(keys: StateKeys, op: UserOperation, { entryHash }: Modules['state']): void {
  const entryPoint = BigInt(entryPoints[op.version].address)
  for (const party of entitiesOf(op)) {
    const [, stake] = depositSlots(party, entryHash)
    addSlot(keys, entryPoint, stake)
  }
}

/** Operations read alike whose EntryPoint, factory, paymaster, delegate and code of the sender are the same. */
function shapeOf(op: UserOperation, { view, state }: Modules): Shape {
  const sender = BigInt(op.sender)
  const kind = [op.version, op.factory ?? '', op.paymaster ?? '', op.eip7702Auth?.address ?? ''].join(' ')
  const codeHash = view.account(sender)?.codeHash ?? state.lastingCode(sender)
  return {
    names: codeHash === undefined ? [kind] : [`${kind} ${codeHash}`, kind],
    roles: new Map<string, Word>([
      ['sender', sender],
      ['nonce key', nonceKey(op.nonce)],
    ]),
  }
}
