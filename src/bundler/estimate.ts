import { TandemError, Unavailable } from '../base/errors.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { GasEstimate, SimulatedGas } from '../types/gas.ts'
import type { HeadSource } from '../types/ports/chain.ts'
import type { PoolPort } from '../types/ports/pool.ts'
import type { SimulatorPort, StateOverrides } from '../types/ports/simulator.ts'
import { nonceSequence, type UserOperation } from '../types/userop.ts'
import { leastCallGas } from '../validation/precheck.ts'
import type { SequenceReader } from './judge.ts'
import type { Prices } from './prices.ts'

/** `eth_estimateUserOperationGas`: limits from simulation, fees and preVerificationGas from the chain's prices. */
export type Estimator = (op: UserOperation, overrides: StateOverrides | undefined) => Promise<GasEstimate>

export function createEstimator(
  options: {
    chainId: number
    /** gas added to callGasLimit */
    estimationStaticBuffer: bigint
  },
  modules: {
    pools: ReadonlyMap<EntryPointVersion, PoolPort>
    heads: HeadSource
    simulator: SimulatorPort
    prices: Pick<Prices, 'recommended' | 'preVerificationGas'>
    sequenceOnChain: SequenceReader
    /** Refuses what would be refused when it is sent. @throws InvalidParams */
    checkCaps: (op: UserOperation) => void
  },
): Estimator {
  const { pools, heads, simulator, prices } = modules

  return async (requested, overrides) => {
    const { maxFeePerGas, maxPriorityFeePerGas } = await prices.recommended()
    const op = { ...requested, maxFeePerGas, maxPriorityFeePerGas }
    const limits = await onNewestBlock(() => simulate(op, overrides))
    const needed = limits.callGasLimit + options.estimationStaticBuffer
    const callGasLimit = op.callData !== '0x' && needed < leastCallGas ? leastCallGas : needed
    const preVerificationGas = await pricedFor({ ...op, ...limits, callGasLimit }, requested)
    modules.checkCaps({ ...op, ...limits, callGasLimit, preVerificationGas })
    return {
      ...limits,
      callGasLimit,
      preVerificationGas,
      maxFeePerGas,
      maxPriorityFeePerGas,
    }
  }

  /** What is asked at the recommended fees, and at the caller's own: who pays less per gas needs more for data. */
  async function pricedFor(op: UserOperation, requested: UserOperation): Promise<bigint> {
    const { maxFeePerGas, maxPriorityFeePerGas } = requested
    const recommended = await prices.preVerificationGas(op)
    if (maxFeePerGas === 0n) return recommended
    const own = await prices.preVerificationGas({ ...op, maxFeePerGas, maxPriorityFeePerGas })
    return own > recommended ? own : recommended
  }

  /** What just happened on chain, such as the account's funding, may not be in the block that we know. */
  async function onNewestBlock<T>(task: () => Promise<T>): Promise<T> {
    const before = heads.current?.hash
    try {
      return await task()
    } catch (error) {
      await heads.refresh()
      if (heads.current?.hash === before) throw error
      return task()
    }
  }

  /** As if the earlier nonces of its key had been used; a nonce that is used already has no estimate. */
  async function simulate(op: UserOperation, overrides: StateOverrides | undefined): Promise<SimulatedGas> {
    const own = nonceSequence(op.nonce)
    const turn = pools.get(op.version)?.turn(op.sender, op.nonce) ?? { kind: 'unknown' }
    if (turn.kind !== 'unknown') return estimate(op, overrides, own > turn.sequence ? own : undefined)
    try {
      return await estimate(op, overrides, undefined)
    } catch (error) {
      const ahead = error instanceof TandemError && error.data?.aaCode === 'AA25'
      if (!ahead || own < (await modules.sequenceOnChain(op))) throw error
      return estimate(op, overrides, own)
    }
  }

  function estimate(
    op: UserOperation,
    stateOverrides: StateOverrides | undefined,
    sequence: bigint | undefined,
  ): Promise<SimulatedGas> {
    const block = heads.current
    if (block === undefined) throw new Unavailable('no block is known yet')
    return simulator.estimate({
      chainId: options.chainId,
      op,
      block,
      nonceSequence: sequence,
      stateOverrides,
    })
  }
}
