import { type Address, formatEther, numberToHex } from 'viem'
import type { Json } from '../base/errors.ts'

/** What `bundler_config` shows besides what the bundler itself works with (answers.md §1 gives the units). */
export type ConfigView = {
  chainId: number
  testing: boolean
  redirectRpc: boolean
  entryPoints: readonly Address[]
  /** `undefined`: each relayer keeps its own earnings. */
  beneficiary?: Address | undefined
  relayers: readonly Address[]
  minInclusionDenominator: number
  throttlingSlack: number
  banSlack: number
  minStake: bigint
  minUnstakeDelay: number
  minSignerBalance: bigint
  multicall: Address
  estimationStaticBuffer: bigint
  validationGasLimit: bigint
  receiptLookupRange: number
  /** Whether there is one; secrets stay outside. */
  explorerApiKey: boolean
  conditionalTransactions: boolean
  /** Whether bundles go elsewhere than to the nodes. */
  rpcEndpointSubmit: boolean
  gasPriceMarkup: number
  enforceGasPrice: boolean
  enforceGasPriceThreshold: number
  eip2930: boolean
  useropsTTL: number
  whitelistedEntities: {
    paymaster: readonly Address[]
    account: readonly Address[]
    factory: readonly Address[]
  }
  bundleGasLimitMarkup: bigint
  relayingMode: string
  bundleInterval: number
  bundleSize: number
  pvgMarkup: bigint
  skipBundleValidation: boolean
}

/**
 * The result of `bundler_config` (interface.md), field by field: what it is made from holds secrets too. Those are told
 * as "is one configured".
 */
export function formatConfig(view: ConfigView): Json {
  return {
    chainId: view.chainId,
    flags: { testingMode: view.testing, redirectRpc: view.redirectRpc },
    entryPoints: view.entryPoints,
    beneficiary: view.beneficiary ?? view.relayers[0] ?? null,
    relayers: view.relayers,
    minInclusionDenominator: view.minInclusionDenominator,
    throttlingSlack: view.throttlingSlack,
    banSlack: view.banSlack,
    minStake: { type: 'BigNumber', hex: numberToHex(view.minStake) },
    minUnstakeDelay: view.minUnstakeDelay,
    minSignerBalance: `${formatEther(view.minSignerBalance)} eth`,
    multicall: view.multicall,
    estimationStaticBuffer: Number(view.estimationStaticBuffer),
    validationGasLimit: Number(view.validationGasLimit),
    receiptLookupRange: view.receiptLookupRange,
    explorerApiKey: view.explorerApiKey,
    conditionalTransactions: view.conditionalTransactions,
    rpcEndpointSubmit: view.rpcEndpointSubmit,
    gasPriceMarkup: view.gasPriceMarkup,
    enforceGasPrice: view.enforceGasPrice,
    enforceGasPriceThreshold: view.enforceGasPriceThreshold,
    eip2930: view.eip2930,
    useropsTTL: view.useropsTTL,
    whitelistedEntities: view.whitelistedEntities,
    bundleGasLimitMarkup: Number(view.bundleGasLimitMarkup),
    relayingMode: view.relayingMode,
    bundleInterval: view.bundleInterval,
    bundleSize: view.bundleSize,
    pvgMarkup: Number(view.pvgMarkup),
    skipBundleValidation: view.skipBundleValidation,
  }
}
