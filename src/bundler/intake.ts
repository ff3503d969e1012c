import type { Hash } from 'viem'
import type { Context } from '../base/context.ts'
import { fromWire, TandemError, Unavailable } from '../base/errors.ts'
import { entryPoints } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import type { PoolCandidate, PoolEffect, PoolPort } from '../types/ports/pool.ts'
import type { OperationRecord, StorePort } from '../types/ports/store.ts'
import { isFinal } from '../types/status.ts'
import type { UserOperation } from '../types/userop.ts'
import { hashOperation } from './hash.ts'
import { type Judge, untold } from './judge.ts'
import type { States } from './states.ts'

/** Takes an operation from the border to the acknowledgement (architecture.md §2, steps 1 to 4). */
export type Intake = {
  /**
   * Judged, pooled, committed; then its hash. Sending the same operation again gives the same hash.
   * @throws TandemError of the error table; Unavailable when we could not tell or could not store
   */
  send(op: UserOperation): Promise<Hash>
}

export function createIntake(
  options: { chainId: number; now: () => number },
  modules: Context & {
    pools: ReadonlyMap<EntryPointVersion, PoolPort>
    node: NodeClient
    /** Local checks; throws InvalidParams. */
    precheck: (op: UserOperation) => Promise<void>
    judge: Judge
    store: StorePort
    states: States
    onAdmitted: () => void
  },
): Intake {
  const { pools, judge, store, states, log } = modules
  /** Operations between their arrival and their commit, so that a repeat waits for the first. */
  const arriving = new Map<Hash, Promise<Hash>>()
  /** What a bundle had taken up before its commit failed: a repeat is acknowledged when it is stored. */
  const unstored = new Map<Hash, OperationRecord>()

  return {
    async send(op) {
      const hash = await hashOperation(op, modules.node)
      const pool = poolOf(op.version)
      if (pool.get(hash) !== undefined && !arriving.has(hash) && !unstored.has(hash)) return hash
      const first = arriving.get(hash) ?? take(op, hash, pool).finally(() => arriving.delete(hash))
      arriving.set(hash, first)
      return first
    },
  }

  function poolOf(version: EntryPointVersion): PoolPort {
    const pool = pools.get(version)
    if (pool === undefined) throw new Unavailable(`no pool for EntryPoint ${version}`)
    return pool
  }

  /** A repeat that arrives after the first was mined is still the same operation, whatever it would fail with now. */
  async function take(op: UserOperation, hash: Hash, pool: PoolPort): Promise<Hash> {
    try {
      return await admit(op, hash, pool)
    } catch (error) {
      const refused = error instanceof TandemError && !(error instanceof Unavailable)
      if (refused && (await isIncluded(hash))) return hash
      throw error
    }
  }

  async function admit(op: UserOperation, hash: Hash, pool: PoolPort): Promise<Hash> {
    if (await isStoredLate(hash, pool)) return hash
    const receivedAt = options.now()
    await modules.precheck(op)
    pool.precheck(op, receivedAt)
    const { verdict, chainSequence } = await judge(op, pool)
    if (verdict.kind === 'unknown') throw untold(verdict)
    if (verdict.kind === 'rejected') {
      log.info('operation rejected', {
        operation: hash,
        code: verdict.error.code,
        reason: verdict.error.message,
      })
      throw fromWire(verdict.error)
    }
    const { facts } = verdict
    const replaced = pool.at(op.sender, op.nonce)
    const effects = pool.admit({ op, hash, facts, receivedAt, chainSequence }, options.now())
    const state = pool.get(hash)?.state ?? { kind: 'pending' }
    const record = {
      ...{ chainId: options.chainId, entryPoint: entryPoints[op.version].address, hash, op },
      ...{ validationLevel: facts.level, receivedAt, state },
      timestamps: { received: receivedAt, [state.kind]: options.now() },
    }
    try {
      await store.addOperation(record)
    } catch (error) {
      states.apply(op.version, [
        ...effects,
        ...takeBack(hash, replaced && { ...replaced, chainSequence }, pool),
      ])
      for (const [known, { op }] of unstored) if (!pools.get(op.version)?.get(known)) unstored.delete(known)
      if (pool.get(hash) !== undefined) unstored.set(hash, record)
      throw error
    }
    // A bundle may have taken it up since.
    states.apply(
      op.version,
      effects.filter((effect) => isStillTrue(effect, pool)),
    )
    log.info('operation accepted', { operation: hash, sender: op.sender, validation: facts.level })
    modules.onAdmitted()
    return hash
  }

  /**
   * Not acknowledged, so it leaves; what it replaced was, so that comes back. But not when a bundle has taken it up
   * meanwhile: then its transaction may be on its way, and another operation with its nonce must not follow.
   */
  function takeBack(hash: Hash, replaced: PoolCandidate | undefined, pool: PoolPort): readonly PoolEffect[] {
    const state = pool.get(hash)?.state
    if (state !== undefined && 'bundleId' in state) return []
    const left = pool.drop(hash, { code: -32603, message: 'not stored' })
    if (replaced === undefined) return left
    const { sender, nonce } = replaced.op
    if (pool.turn(sender, nonce).kind === 'used') return left
    return [...left, ...pool.restore(replaced, options.now())]
  }

  async function isStoredLate(hash: Hash, pool: PoolPort): Promise<boolean> {
    const record = unstored.get(hash)
    if (record === undefined) return false
    const state = pool.get(hash)?.state
    if (state !== undefined) await store.addOperation({ ...record, state })
    unstored.delete(hash)
    return state !== undefined
  }

  async function isIncluded(hash: Hash): Promise<boolean> {
    const record = await store.operation({ chainId: options.chainId, hash })
    return record?.state.kind === 'included'
  }
}

/** What happened to an operation while another was stored may have been told already. */
function isStillTrue({ hash, state }: PoolEffect, pool: PoolPort): boolean {
  return isFinal(state) || pool.get(hash)?.state === state
}
