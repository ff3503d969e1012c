import { Type } from '@sinclair/typebox'
import { ChecksumAddress, Quantity } from './wire.ts'

const count = Type.Integer({ minimum: 0 })
const addresses = Type.Array(ChecksumAddress)

const fields = {
  chainId: count,
  flags: Type.Object({ testingMode: Type.Boolean(), redirectRpc: Type.Boolean() }),
  entryPoints: addresses,
  beneficiary: ChecksumAddress,
  relayers: addresses,
  minInclusionDenominator: count,
  throttlingSlack: count,
  banSlack: count,
  minStake: Type.Object({ type: Type.Literal('BigNumber'), hex: Quantity }),
  minUnstakeDelay: count,
  minSignerBalance: Type.String(),
  multicall: ChecksumAddress,
  estimationStaticBuffer: count,
  validationGasLimit: count,
  receiptLookupRange: count,
  conditionalTransactions: Type.Boolean(),
  rpcEndpointSubmit: Type.Boolean(),
  gasPriceMarkup: count,
  enforceGasPrice: Type.Boolean(),
  enforceGasPriceThreshold: count,
  eip2930: Type.Boolean(),
  useropsTTL: count,
  whitelistedEntities: Type.Object({ paymaster: addresses, account: addresses, factory: addresses }),
  bundleGasLimitMarkup: count,
  relayingMode: Type.String(),
  bundleInterval: count,
  bundleSize: count,
  pvgMarkup: count,
  skipBundleValidation: Type.Boolean(),
}

/** interface.md, Bundler configuration; units in answers.md §1. */
export const ConfigSchema = Type.Object({ ...fields, explorerApiKey: Type.Boolean() })

/** The same under the name that clients of skandha know. */
export const SkandhaConfigSchema = Type.Object({ ...fields, etherscanApiKey: Type.Boolean() })
