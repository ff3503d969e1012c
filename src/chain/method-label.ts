/** The methods that we call ourselves; callers may pass through many more, and labels must be bounded. */
const known: ReadonlySet<string> = new Set([
  'debug_traceCall',
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_createAccessList',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_sendRawTransaction',
])

export const methodLabel = (method: string): string => (known.has(method) ? method : 'other')
