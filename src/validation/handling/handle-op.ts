import type { Address } from 'viem'
import type { Budget } from '../../evm/budget.ts'
import type { BlockEnvironment, ChainRules } from '../../evm/environment.ts'
import type { Observer } from '../../evm/observer.ts'
import type { State } from '../../evm/state/state.ts'
import type { StateSource } from '../../evm/state-source.ts'
import { encodeHandleOps, entryPoints } from '../../types/entrypoint.ts'
import type { UserOperation } from '../../types/userop.ts'
import { bundlerAddress } from '../bundler-address.ts'
import type { CallRequest } from '../eth-call.ts'
import { bytesOfHex } from '../state/hex.ts'
import { type EvmCallEnd, runCall } from './run-call.ts'

/** What a run is made of: a block, the rules of its chain, and the work that it may take. */
export type EvmWorld = { chain: ChainRules; block: BlockEnvironment; budget: Budget }

/** Any address that takes money: nothing is kept. */
export const beneficiary: Address = '0x000000000000000000000000000000000000dEaD'

/** gas beside the limits of an operation: handleOps itself, and what innerHandleOp keeps back (AA95) */
const ownGas = 500_000n

/** gas of one run, whatever the limits are: four phases of 10 million each, and more than a transaction may have */
const mostGas = 60_000_000n

/** handleOps of `op` alone, as the bundler sends it. */
export function handleOpCall(op: UserOperation): CallRequest {
  return {
    from: bundlerAddress,
    to: entryPoints[op.version].address,
    data: encodeHandleOps(op.version, [op], beneficiary),
  }
}

/** Runs handleOps of `op` alone, with all the gas that its limits may ask for. @throws as `runMessage` */
export function handleOp(
  op: UserOperation,
  { budget, ...modules }: EvmWorld & { source: StateSource; watch: (state: State) => readonly Observer[] },
): EvmCallEnd {
  const { to, data } = handleOpCall(op)
  const gas = Number(gasFor(op))
  const call = {
    ...{ from: BigInt(bundlerAddress), to: BigInt(to), input: bytesOfHex(data) },
    ...{ gas, gasPrice: modules.block.baseFee, budget },
  }
  return runCall(call, modules)
}

/** Each phase has its limit; 1/64 stays behind at each of the EntryPoint's calls. */
function gasFor(op: UserOperation): bigint {
  const verification = op.verificationGasLimit * (op.version === '0.6' ? 3n : 1n)
  const limits =
    verification + op.callGasLimit + op.paymasterVerificationGasLimit + op.paymasterPostOpGasLimit
  const gas = (limits * 65n) / 63n + ownGas
  return gas < mostGas ? gas : mostGas
}
