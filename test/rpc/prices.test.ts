import { expect, test } from 'bun:test'
import { debugMethods, methods } from '../../src/rpc/methods.ts'
import { passedThrough } from '../../src/rpc/passthrough.ts'
import { paymasterMethods } from '../../src/rpc/paymaster/methods.ts'

/** Credits by interface.md, Limits, and answers.md §3; aliases as their originals. */
const prices = {
  5: `eth_chainId eth_supportedEntryPoints web3_sha3 net_version net_listening net_peerCount eth_protocolVersion
    eth_blockNumber eth_getBlockTransactionCountByHash eth_getBlockTransactionCountByNumber eth_getCode pm_supportedEntryPoints`,
  10: `eth_gasPrice eth_getBalance eth_getStorageAt eth_getTransactionCount eth_getUncleCountByBlockHash
    eth_getUncleCountByBlockNumber eth_getBlockByHash eth_getBlockByNumber eth_getTransactionByBlockHashAndIndex
    eth_getTransactionByBlockNumberAndIndex eth_getUncleByBlockHashAndIndex eth_getUncleByBlockNumberAndIndex
    eth_maxPriorityFeePerGas web3_clientVersion bundler_config eth_call eth_estimateGas eth_getTransactionByHash
    eth_getTransactionReceipt bundler_getGasPrice bundler_getUserOperationStatus skandha_config skandha_getGasPrice
    skandha_userOperationStatus pimlico_getUserOperationGasPrice pimlico_getUserOperationStatus
    rundler_maxPriorityFeePerGas`,
  15: 'eth_getUserOperationByHash',
  20: 'eth_newFilter eth_newBlockFilter eth_feeHistory bundler_feeHistory skandha_feeHistory eth_subscribe',
  25: 'eth_getUserOperationReceipt',
  30: 'eth_newPendingTransactionFilter eth_uninstallFilter eth_getFilterChanges',
  50: 'eth_getFilterLogs eth_getLogs eth_sendRawTransaction',
  200: 'pm_getERC20TokenQuotes pimlico_getTokenQuotes',
  300: 'pm_getPaymasterStubData eth_estimateUserOperationGas bundler_explainUserOperation bundler_dropUserOperation',
  450: 'pm_getPaymasterData',
  600: 'eth_sendUserOperation eth_sendUserOperationSync',
  700: 'pm_sponsorUserOperation',
  0: 'eth_unsubscribe',
}

test('every method has its price, and there are no others', () => {
  const listed = Object.entries(prices).flatMap(([price, names]) =>
    names.split(/\s+/).map((name) => [name, Number(price)] as const),
  )
  const ours = [...methods, ...passedThrough, ...paymasterMethods].map(
    ({ name, price }) => [name, price] as const,
  )
  expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(listed))
})

test('debugging costs nothing', () => {
  expect(debugMethods.filter(({ price }) => price !== 0)).toEqual([])
})
