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
  explorerApiKey?: string | undefined
  conditionalTransactions: boolean
  rpcEndpointSubmit?: string | undefined
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

/** The result of `bundler_config` (interface.md); secrets are told as "is one configured". */
export function formatConfig(view: ConfigView): Json {
  const { testing, redirectRpc, minStake, minSignerBalance, relayers, ...rest } = view
  return {
    ...rest,
    flags: { testingMode: testing, redirectRpc },
    beneficiary: view.beneficiary ?? relayers[0] ?? null,
    relayers,
    minStake: { type: 'BigNumber', hex: numberToHex(minStake) },
    minSignerBalance: `${formatEther(minSignerBalance)} eth`,
    estimationStaticBuffer: Number(view.estimationStaticBuffer),
    validationGasLimit: Number(view.validationGasLimit),
    explorerApiKey: view.explorerApiKey !== undefined,
    rpcEndpointSubmit: view.rpcEndpointSubmit !== undefined,
    bundleGasLimitMarkup: Number(view.bundleGasLimitMarkup),
    pvgMarkup: Number(view.pvgMarkup),
  }
}
