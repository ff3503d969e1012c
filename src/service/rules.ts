import type { Rules } from '../bundler/bundler.ts'
import { logsOfOperation, revertBytes } from '../chain/operation-logs.ts'
import type { ChainSettings } from '../config/schemas/chain.ts'
import { bundleGasLimit, emptyBundleGas, gasInBundle } from '../gas/bundle-gas.ts'
import { createDataGas } from '../gas/data-fee/data-gas.ts'
import { gasCapAt } from '../gas/gas-cap.ts'
import { preVerificationGas } from '../gas/preverification.ts'
import type { HeadSource } from '../types/ports/chain.ts'
import type { UserOperation } from '../types/userop.ts'
import { operationGas } from '../types/userop-cost.ts'
import { checkCaps, precheck } from '../validation/precheck.ts'
import { decodeRevert } from '../validation/revert.ts'

/** The formulas of gas/ and validation/ with a chain's facts. */
export function rulesOf(
  settings: ChainSettings & { chainId: number },
  { heads }: { heads: Pick<HeadSource, 'current'> },
): Rules {
  const dataGas = createDataGas(settings)
  const executionGas = remembered((op) => preVerificationGas(op, settings))
  const fixed = { ...settings, enforceGasPriceThreshold: BigInt(settings.enforceGasPriceThreshold) }
  const limits = () => ({ ...fixed, transactionGasCap: gasCapAt(heads.current, settings.transactionGasCap) })
  const gasOf = remembered((op) => gasInBundle(op, settings))
  const gasAlone = (op: UserOperation) => {
    const { taken, reserve } = gasOf(op)
    return emptyBundleGas + settings.bundleGasLimitMarkup + taken + reserve
  }
  return {
    precheck: (op, prices) => precheck(op, limits(), { ...prices, gasAlone: gasAlone(op) }),
    checkCaps: (op) => checkCaps(op, limits(), { gasAlone: gasAlone(op) }),
    preVerificationGas(op, market) {
      const execution = executionGas(op)
      const metered = operationGas({ ...op, preVerificationGas: execution })
      return execution + dataGas.ofOperation(op, metered, market)
    },
    gasInBundle: gasOf,
    emptyBundleGas,
    gasOfBundle(version, entries, beneficiary, market) {
      const ops = entries.map((entry) => entry.op)
      const execution = bundleGasLimit(version, ops, beneficiary, settings)
      return execution + dataGas.inLimit({ version, ops, beneficiary }, market)
    },
    logsOfOperation,
    revertReason(receipt, event) {
      const bytes = revertBytes(receipt, event)
      return bytes === undefined ? undefined : decodeRevert(bytes).text
    },
  }
}

/** An operation is asked about for every bundle that it might go into, and for every market. */
function remembered<T extends {}>(of: (op: UserOperation) => T): (op: UserOperation) => T {
  const known = new WeakMap<UserOperation, T>()
  return (op) => {
    const value = known.get(op) ?? of(op)
    known.set(op, value)
    return value
  }
}
