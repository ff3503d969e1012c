import { describe, expect, test } from 'bun:test'
import { type AnswerMeaning, meaningOf, type RpcErrorObject } from '../../../src/chain/answer-meaning.ts'

type Said = readonly [meaning: AnswerMeaning, code: number, message: string, data?: RpcErrorObject['data']]

/** What nodes and providers say, by the public file or page that shows the text and the code. */
const sources: Readonly<Record<string, readonly Said[]>> = {
  'ethereum/go-ethereum core/txpool/errors.go': [
    ['verdict', -32000, 'already known'],
    ['verdict', -32000, 'invalid sender'],
    ['verdict', -32000, 'transaction underpriced'],
    ['verdict', -32000, 'replacement transaction underpriced'],
    ['verdict', -32000, 'account limit exceeded'],
    ['verdict', -32000, 'exceeds block gas limit'],
    ['verdict', -32000, 'oversized data'],
    ['verdict', -32000, 'future transaction tries to replace pending'],
    ['verdict', -32000, 'address already reserved'],
    ['verdict', -32000, 'authority already reserved'],
    ['verdict', -32000, 'authority nonce too low'],
  ],
  'ethereum/go-ethereum core/error.go': [
    ['verdict', -32000, 'nonce too low'],
    ['verdict', -32000, 'nonce too high'],
    ['verdict', -32000, 'insufficient funds for gas * price + value'],
    ['verdict', -32000, 'intrinsic gas too low'],
    ['verdict', -32000, 'max fee per gas less than block base fee'],
    ['verdict', -32000, 'sender not an eoa'],
  ],
  'ethereum/go-ethereum eth/api_backend.go': [
    ['unknown-block', -32000, 'header for hash not found'],
    ['unknown-block', -32000, 'hash is not currently canonical'],
    ['unknown-block', -32000, 'header found, but block body is missing'],
  ],
  'ethereum/go-ethereum rpc/errors.go': [
    ['verdict', -32601, 'the method debug_traceCall does not exist/is not available'],
  ],
  'zircuit-labs/l2-geth-public, a fork of go-ethereum: TxIndexingError': [
    ['failed', -32000, 'transaction indexing is in progress'],
  ],
  'paradigmxyz/reth crates/rpc/rpc-eth-types/src/error/mod.rs': [
    ['unknown-block', -32001, 'block not found: hash 0x1a15'],
    ['unknown-block', -32001, 'unknown block or tx index'],
    ['unknown-block', 4444, 'pruned history unavailable'],
    ['failed', -32000, 'execution aborted (timeout = 5s)'],
    ['failed', -32603, 'internal blocking task error'],
    ['verdict', 3, 'execution reverted: header not found'],
    ['verdict', -32000, 'already known'],
    ['verdict', -32003, 'txpool is full'],
    ['verdict', -32000, 'exceeds max transaction gas limit'],
    ['verdict', -32000, 'tx fee (10 wei) exceeds the configured cap (5 wei)'],
    ['verdict', -32000, 'oversized data: transaction size 200000, limit 131072'],
  ],
  'paradigmxyz/reth crates/rpc/rpc/src/eth/filter.rs': [
    ['too-much', -32602, 'query exceeds max block range 100000'],
    ['too-much', -32602, 'query exceeds max results 20000, retry with the range 1-20'],
  ],
  'erigontech/erigon turbo/rpchelper/helper.go': [
    ['unknown-block', -32000, `block ${'11'.repeat(32)} not found`],
    ['unknown-block', -32603, `hash ${'11'.repeat(32)} is not currently canonical`],
  ],
  'erigontech/erigon txnprovider/txpool/txpoolcfg/txpoolcfg.go': [
    ['verdict', -32000, 'already known'],
    ['verdict', -32000, 'underpriced'],
    ['verdict', -32000, 'fee too low'],
    ['verdict', -32000, 'could not replace existing tx'],
    ['verdict', -32000, 'existing txn with same hash'],
    ['verdict', -32000, 'pending sub-pool is full'],
    ['verdict', -32000, 'gas limit is too high'],
  ],
  'NethermindEth/nethermind Nethermind.TxPool/AcceptTxResult.cs': [
    ['verdict', -32000, 'nonce too far in future'],
    ['verdict', -32000, 'transaction cost overflow'],
    ['verdict', -32000, 'delegation authority has pending transaction'],
    ['busy', -32000, 'node is syncing'],
  ],
  'NethermindEth/nethermind Nethermind.JsonRpc/ErrorCodes.cs': [
    ['unknown-block', -32000, `0x${'11'.repeat(32)} could not be found`],
    ['unknown-block', -32002, 'No state available for block 7 (0x1111...1111)'],
    ['unknown-block', -39001, 'Unknown block error'],
    ['failed', -32016, 'eth_call request was canceled due to enabled timeout.'],
    ['too-much', -32005, 'Too many logs requested. Max logs per response is 20000.'],
    ['verdict', -32015, 'VM execution error.', 'Reverted 0x'],
  ],
  'NethermindEth/nethermind Nethermind.Facade/Find/RangeLimitedLogFinder.cs': [
    ['too-much', -32602, 'Block range 2000 exceeds the maximum of 1000 blocks per logs request.'],
  ],
  'hyperledger/besu …/jsonrpc/internal/response/RpcErrorType.java': [
    ['verdict', -32001, 'Nonce too low'],
    ['verdict', -32002, 'Invalid signature'],
    ['verdict', -32003, 'Intrinsic gas exceeds gas limit'],
    ['verdict', -32004, 'Upfront cost exceeds account balance'],
    ['verdict', -32005, 'Transaction gas limit exceeds block gas limit'],
    ['verdict', -32005, 'Number of requests exceeds max batch size'],
    ['verdict', -32006, 'Nonce too high'],
    ['verdict', -32007, 'Sender account not authorized to send transactions'],
    ['verdict', -32009, 'Gas price below current base fee'],
    ['verdict', -32000, 'Known transaction'],
    ['verdict', -32000, 'Replacement transaction underpriced'],
    ['verdict', -32000, 'Execution reverted'],
    ['too-much', -32005, 'Requested range exceeds maximum RPC range limit'],
    ['busy', -32008, 'Initial sync is still in progress'],
    ['unknown-block', -32000, 'Block not found'],
    ['unknown-block', -32000, 'World state unavailable'],
    ['unknown-block', -39001, 'Unknown block'],
    ['failed', -32603, 'Timeout expired'],
    [
      'failed',
      -32002,
      'Transaction pool not enabled. (Either txpool explicitly disabled, or node not yet in sync).',
    ],
  ],
  'ethereum-optimism/optimism proxyd/backend.go': [
    ['busy', -32010, 'backend offline'],
    ['busy', -32011, 'no backends available for method'],
    ['busy', -32012, 'backend is over capacity'],
    ['busy', -32016, 'over rate limit'],
    ['verdict', -32014, 'too many RPC calls in batch request'],
    ['unknown-block', -32019, 'block is out of range'],
  ],
  'foundry-rs/foundry, anvil 1.7.1 as it answers here': [
    ['unknown-block', -32001, 'Resource not found'],
    ['unknown-block', -32602, 'BlockOutOfRangeError: block height is 7 but requested was 9'],
  ],
  'alchemy: issues ethers-io/ethers.js#4703, latticexyz/mud#1522, cartesi/rollups-node#655': [
    [
      'too-much',
      -32602,
      'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range',
    ],
    ['too-much', -32600, 'You can make eth_getLogs requests with up to a 500 block range.'],
    ['busy', 429, 'Your app has exceeded its compute units per second capacity.'],
  ],
  'infura: issues ethers-io/ethers.js#4703, INFURA/infura#237; docs.metamask.io, avoid rate limiting': [
    ['too-much', -32005, 'query returned more than 10000 results. Try with this block range [0x1, 0x2].'],
    ['too-much', -32602, 'range 1000000 exceeds limit of 10000'],
    ['busy', 402, 'Payment Required'],
    ['busy', -32005, 'daily request count exceeded, request rate limited'],
  ],
  'quicknode: quicknode.com/docs error references; issue latticexyz/mud#1522': [
    ['too-much', -32614, 'eth_getLogs is limited to a 10,000 range'],
    ['too-much', -32602, 'eth_getLogs and eth_newFilter are limited to a 10,000 blocks range'],
    ['busy', 429, 'The requests per second (RPS) of your requests are higher than your plan allows.'],
    ['busy', -32012, 'credits limited to 6000/sec'],
  ],
  'ankr and polygon-rpc.com: issue AlphaWallet/alpha-wallet-android#2736': [
    ['busy', -32090, 'Too many requests, reason: call rate limit exhausted, retry in 10m0s'],
  ],
  'bnb-chain: issue AlphaWallet/alpha-wallet-android#2736': [
    ['too-much', -32000, 'exceed maximum block range: 5000'],
  ],
  'therpc: pull request reown-com/blockchain-api#1102': [['busy', -32029, 'slow down']],
  'tenderly: issue fluencelabs/dev-rewards#20': [['busy', -32005, 'rate limit exceeded']],
  'base: issue base/node#368': [
    [
      'busy',
      -32000,
      '429 Too Many Requests: {"jsonrpc":"2.0","error":{"code":-32016,"message":"over rate limit"}}',
    ],
  ],
  drpc: [['too-much', 35, 'ranges over 10000 blocks are not supported on freetier']],
  'no source: codes of EIP-1474 with any words, and what chains were seen to attach': [
    ['busy', -32005, 'limit exceeded'],
    ['failed', -32603, 'Internal error'],
    ['failed', -32002, 'resource unavailable'],
    ['verdict', -32603, 'Internal error', '0x08c379a0'],
    ['verdict', -32000, 'execution reverted'],
    ['verdict', -32000, 'words of a node that we never met'],
    ['verdict', -32602, 'invalid argument 0: hex string without 0x prefix'],
  ],
}

for (const [source, said] of Object.entries(sources)) {
  describe(source, () => {
    for (const [meaning, code, message, data] of said) {
      test(`${code} "${message}" is ${meaning}`, () => {
        expect(meaningOf({ code, message, data })).toBe(meaning)
      })
    }
  })
}
