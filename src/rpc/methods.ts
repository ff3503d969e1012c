import type { Method } from './method.ts'
import { bundler_config } from './methods/bundler_config.ts'
import { bundler_dropUserOperation } from './methods/bundler_dropUserOperation.ts'
import { bundler_explainUserOperation } from './methods/bundler_explainUserOperation.ts'
import { bundler_feeHistory } from './methods/bundler_feeHistory.ts'
import { bundler_getGasPrice } from './methods/bundler_getGasPrice.ts'
import { bundler_getUserOperationStatus } from './methods/bundler_getUserOperationStatus.ts'
import { debug_bundler_addUserOps } from './methods/debug_bundler_addUserOps.ts'
import { debug_bundler_clearMempool } from './methods/debug_bundler_clearMempool.ts'
import { debug_bundler_clearReputation } from './methods/debug_bundler_clearReputation.ts'
import { debug_bundler_clearState } from './methods/debug_bundler_clearState.ts'
import { debug_bundler_dumpMempool } from './methods/debug_bundler_dumpMempool.ts'
import { debug_bundler_dumpReputation } from './methods/debug_bundler_dumpReputation.ts'
import { debug_bundler_getStakeStatus } from './methods/debug_bundler_getStakeStatus.ts'
import { debug_bundler_sendBundleNow } from './methods/debug_bundler_sendBundleNow.ts'
import { debug_bundler_setBundleInterval } from './methods/debug_bundler_setBundleInterval.ts'
import { debug_bundler_setBundlingMode } from './methods/debug_bundler_setBundlingMode.ts'
import { debug_bundler_setReputation } from './methods/debug_bundler_setReputation.ts'
import { eth_chainId } from './methods/eth_chainId.ts'
import { eth_estimateUserOperationGas } from './methods/eth_estimateUserOperationGas.ts'
import { eth_getUserOperationByHash } from './methods/eth_getUserOperationByHash.ts'
import { eth_getUserOperationReceipt } from './methods/eth_getUserOperationReceipt.ts'
import { eth_sendUserOperation } from './methods/eth_sendUserOperation.ts'
import { eth_sendUserOperationSync } from './methods/eth_sendUserOperationSync.ts'
import { eth_subscribe } from './methods/eth_subscribe.ts'
import { eth_supportedEntryPoints } from './methods/eth_supportedEntryPoints.ts'
import { eth_unsubscribe } from './methods/eth_unsubscribe.ts'
import { pimlico_getUserOperationGasPrice } from './methods/pimlico_getUserOperationGasPrice.ts'
import { pimlico_getUserOperationStatus } from './methods/pimlico_getUserOperationStatus.ts'
import { rundler_maxPriorityFeePerGas } from './methods/rundler_maxPriorityFeePerGas.ts'
import { skandha_config } from './methods/skandha_config.ts'
import { skandha_feeHistory } from './methods/skandha_feeHistory.ts'
import { skandha_getGasPrice } from './methods/skandha_getGasPrice.ts'
import { skandha_userOperationStatus } from './methods/skandha_userOperationStatus.ts'
import { web3_clientVersion } from './methods/web3_clientVersion.ts'

/** The methods that are always there. */
export const methods: readonly Method[] = [
  bundler_config,
  bundler_dropUserOperation,
  bundler_explainUserOperation,
  bundler_feeHistory,
  bundler_getGasPrice,
  bundler_getUserOperationStatus,
  eth_chainId,
  eth_estimateUserOperationGas,
  eth_getUserOperationByHash,
  eth_getUserOperationReceipt,
  eth_sendUserOperation,
  eth_sendUserOperationSync,
  eth_subscribe,
  eth_supportedEntryPoints,
  eth_unsubscribe,
  pimlico_getUserOperationGasPrice,
  pimlico_getUserOperationStatus,
  rundler_maxPriorityFeePerGas,
  skandha_config,
  skandha_feeHistory,
  skandha_getGasPrice,
  skandha_userOperationStatus,
  web3_clientVersion,
]

/** ERC-7769's debugging methods, for testing only. */
export const debugMethods: readonly Method[] = [
  debug_bundler_addUserOps,
  debug_bundler_clearMempool,
  debug_bundler_clearReputation,
  debug_bundler_clearState,
  debug_bundler_dumpMempool,
  debug_bundler_dumpReputation,
  debug_bundler_getStakeStatus,
  debug_bundler_sendBundleNow,
  debug_bundler_setBundleInterval,
  debug_bundler_setBundlingMode,
  debug_bundler_setReputation,
]
