import type { Rules } from '../bundler/bundler.ts'
import { logsOfOperation, revertBytes } from '../chain/operation-logs.ts'
import type { ChainSettings } from '../config/schema.ts'
import { bundleGasLimit, emptyBundleGas, gasInBundle } from '../gas/bundle-gas.ts'
import { noDataFee, preVerificationGasWithData } from '../gas/preverification.ts'
import type { GasInBundle } from '../types/gas.ts'
import type { UserOperation } from '../types/userop.ts'
import { checkCaps, precheck } from '../validation/precheck.ts'
import { decodeRevert } from '../validation/revert.ts'

/** The formulas of gas/ and validation/ with a chain's facts. */
export function rulesOf(settings: ChainSettings): Rules {
  const dataFee = { dataFee: noDataFee }
  const limits = { ...settings, enforceGasPriceThreshold: BigInt(settings.enforceGasPriceThreshold) }
  const gasOf = remembered((op: UserOperation) => gasInBundle(op, settings))
  const gasAlone = (op: UserOperation) => {
    const { taken, reserve } = gasOf(op)
    return emptyBundleGas + settings.bundleGasLimitMarkup + taken + reserve
  }
  return {
    precheck: (op, prices) => precheck(op, limits, { ...prices, gasAlone: gasAlone(op) }),
    checkCaps: (op) => checkCaps(op, limits, { gasAlone: gasAlone(op) }),
    preVerificationGas: (op, fees) => preVerificationGasWithData(op, fees, settings, dataFee),
    gasInBundle: gasOf,
    emptyBundleGas,
    gasOfBundle: (version, entries, beneficiary) =>
      bundleGasLimit(
        version,
        entries.map((entry) => entry.op),
        beneficiary,
        settings,
      ),
    logsOfOperation,
    revertReason(receipt, event) {
      const bytes = revertBytes(receipt, event)
      return bytes === undefined ? undefined : decodeRevert(bytes).text
    },
  }
}

/** An operation is asked about for every bundle that it might go into. */
function remembered(gasOf: (op: UserOperation) => GasInBundle): (op: UserOperation) => GasInBundle {
  const known = new WeakMap<UserOperation, GasInBundle>()
  return (op) => {
    const gas = known.get(op) ?? gasOf(op)
    known.set(op, gas)
    return gas
  }
}
