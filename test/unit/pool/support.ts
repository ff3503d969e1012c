import type { TandemError } from '../../../src/base/errors.ts'
import { type ErrorWire, toWire } from '../../../src/base/errors.ts'
import { createPool } from '../../../src/pool/pool.ts'
import type { PoolSettings } from '../../../src/pool/settings.ts'
import type { PoolCandidate, PoolEffect, PoolPort, SelectOptions } from '../../../src/types/ports/pool.ts'
import type { OperationState } from '../../../src/types/status.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import { operationGas } from '../../../src/types/userop-cost.ts'
import { address, candidate, facts, hashOf, userOp } from '../../support/builders.ts'

/** The defaults of the configuration, but for a smaller pool. */
export const settings: PoolSettings = {
  version: '0.7',
  minStake: 10n ** 18n,
  minUnstakeDelay: 86_400,
  minInclusionDenominator: 10,
  throttlingSlack: 10,
  banSlack: 50,
  whitelistedEntities: { paymaster: [], account: [], factory: [] },
  maxNonceGap: 10,
  useropsTTL: 300,
  maxPoolAge: 3600,
  maxPoolSize: 1000,
}

export const pool = (changes: Partial<PoolSettings> = {}): PoolPort => createPool({ ...settings, ...changes })

export function admit(
  to: PoolPort,
  op: UserOperation,
  changes: Partial<PoolCandidate> = {},
  now = 0,
): readonly PoolEffect[] {
  return to.admit(candidate(op, changes), now)
}

const unstaked = { stake: 0n, unstakeDelaySec: 0 }

/** Nonces `from` … below `to` of a fresh key, whose next sequence on chain is 0. */
export function admitNonces(
  to: PoolPort,
  [from, end]: readonly [number, number],
  sender = unstaked,
): UserOperation[] {
  return Array.from({ length: end - from }, (_, index) => {
    const op = userOp({ nonce: BigInt(from + index) })
    admit(to, op, { chainSequence: 0n, facts: facts(op, { sender }) })
    return op
  })
}

export const paying = (sender: number, max: bigint, priority: bigint): UserOperation =>
  userOp({ sender: address(sender), maxFeePerGas: max, maxPriorityFeePerGas: priority })

export function select(from: PoolPort, changes: Partial<SelectOptions> = {}): readonly UserOperation[] {
  return from.select(selection(changes)).map((entry) => entry.op)
}

export function suspect(from: PoolPort, changes: Partial<SelectOptions> = {}): UserOperation | undefined {
  return from.suspect(selection(changes))?.op
}

function selection(changes: Partial<SelectOptions>): SelectOptions {
  return {
    timestamp: 1000,
    now: 0,
    baseFee: 0n,
    leastPriorityFee: 0n,
    gasOf: (op: UserOperation) => ({ taken: operationGas(op), reserve: 0n }),
    maxGas: 10n ** 9n,
    maxBytes: 10 ** 9,
    maxOperations: 500,
    ...changes,
  }
}

/** What the pool should say about `op`. */
export const effect = (op: UserOperation, state: OperationState): PoolEffect => ({
  hash: hashOf(op),
  sender: op.sender,
  state,
})

/** The reason why `op`, and nothing else, was dropped. */
export function reasonOf(effects: readonly PoolEffect[], op: UserOperation): ErrorWire {
  const [only, ...others] = effects
  if (only?.hash !== hashOf(op) || only.state.kind !== 'dropped' || others.length > 0) {
    throw new Error(`expected one drop, not ${effects.map(({ state }) => state.kind)}`)
  }
  return only.state.reason
}

/** The wire form of what `task` throws. */
export function refusal(task: () => unknown): ErrorWire {
  try {
    task()
  } catch (error) {
    return toWire(error as TandemError)
  }
  throw new Error('nothing was refused')
}

export const mined = (op: UserOperation) => ({ hash: hashOf(op), sender: op.sender, nonce: op.nonce })
export const hashesIn = (own: PoolPort) => [...own.entries()].map((entry) => entry.hash)
