import { describe, expect, test } from 'bun:test'
import { isWellFormed } from '../../../src/chain/answer-shape.ts'

const word = `0x${'ab'.repeat(32)}`
const address = `0x${'cd'.repeat(20)}`
const prestate = { tracer: 'prestateTracer' }
const block = {
  number: '0x10',
  hash: word,
  parentHash: word,
  timestamp: '0x5',
  gasLimit: '0x1c9c380',
  baseFeePerGas: '0x7',
  uncles: [],
}
const log = {
  ...{ address, topics: [word], data: '0xab', blockNumber: '0x10', blockHash: word },
  ...{ transactionHash: word, logIndex: '0x0', removed: false },
}
const receipt = {
  ...{ transactionHash: word, blockHash: word, blockNumber: '0x10', gasUsed: '0x5208', status: '0x1' },
  ...{ effectiveGasPrice: '0x7', logs: [log], contractAddress: null },
}

describe('answers that are taken', () => {
  const taken: readonly [method: string, params: readonly unknown[], answer: unknown][] = [
    ['eth_blockNumber', [], '0x0'],
    ['eth_call', [{}, 'latest'], '0x'],
    ['eth_getBlockByNumber', ['latest', false], block],
    ['eth_getBlockByNumber', ['0x11', false], null],
    ['eth_getBlockByNumber', ['finalized', false], null],
    ['eth_getBlockByNumber', ['0x1', false], { ...block, baseFeePerGas: undefined }],
    ['eth_getBlockByNumber', ['pending', false], { ...block, hash: null, number: null }],
    ['eth_getLogs', [{}], []],
    ['eth_getLogs', [{}], [log]],
    ['eth_getTransactionReceipt', [word], null],
    ['eth_getTransactionReceipt', [word], receipt],
    ['eth_getTransactionReceipt', [word], { ...receipt, status: undefined, root: word }],
    ['eth_getTransactionByHash', [word], { to: null, input: '0x' }],
    ['eth_feeHistory', ['0xa', 'latest', [50]], { baseFeePerGas: ['0x7', '0x8'], reward: [['0x1']] }],
    ['eth_feeHistory', ['0xa', 'latest', [50]], { baseFeePerGas: ['0x7', '0x8'], reward: null }],
    ['eth_sendRawTransaction', ['0x02'], word],
    ['eth_getStorageAt', [address, word, 'latest'], word],
    ['eth_createAccessList', [{}], { accessList: [{ address, storageKeys: [word] }], gasUsed: '0x1' }],
    ['debug_traceCall', [{}, 'latest', prestate], {}],
    ['debug_traceCall', [{}, 'latest', prestate], { [address]: { balance: '0x0' } }],
    [
      'debug_traceCall',
      [{}, 'latest', prestate],
      { [address]: { balance: '0x1', nonce: 7, code: '0xef', storage: { [word]: word } } },
    ],
    ['debug_traceCall', [{}, 'latest', { tracer: 'callTracer' }], 'anything'],
    ['some_otherMethod', [], { anything: 1 }],
  ]
  for (const [method, params, answer] of taken) {
    test(`${method} ${JSON.stringify(params)}: ${JSON.stringify(answer)?.slice(0, 50)}`, () => {
      expect(isWellFormed(method, params, answer)).toBe(true)
    })
  }
})

describe('answers of the wrong kind', () => {
  const wrong: readonly [method: string, params: readonly unknown[], answer: unknown][] = [
    ['eth_blockNumber', [], 7],
    ['eth_blockNumber', [], '0x'],
    ['eth_chainId', [], 'mainnet'],
    ['eth_call', [{}, 'latest'], null],
    ['eth_call', [{}, 'latest'], '0xabc'],
    ['eth_getBlockByNumber', ['latest', false], null],
    ['eth_getBlockByNumber', ['latest', false], 'latest'],
    ['eth_getBlockByNumber', ['latest', false], { ...block, timestamp: 5 }],
    ['eth_getBlockByNumber', ['latest', false], { ...block, parentHash: '0x12' }],
    ['eth_getBlockByNumber', ['0x10', false], { ...block, hash: null }],
    ['eth_getLogs', [{}], null],
    ['eth_getLogs', [{}], { ...log }],
    ['eth_getLogs', [{}], [{ ...log, topics: 'none' }]],
    ['eth_getLogs', [{}], [{ ...log, transactionHash: null }]],
    ['eth_getTransactionReceipt', [word], { ...receipt, logs: [{ ...log, logIndex: 0 }] }],
    ['eth_getTransactionReceipt', [word], { ...receipt, blockHash: null }],
    ['eth_getTransactionByHash', [word], { to: 7, input: '0x' }],
    ['eth_feeHistory', ['0xa', 'latest', [50]], { baseFeePerGas: null }],
    ['eth_feeHistory', ['0xa', 'latest', [50]], { baseFeePerGas: ['0x7'], reward: [[7]] }],
    ['eth_sendRawTransaction', ['0x02'], true],
    ['eth_getStorageAt', [address, word, 'latest'], null],
    ['eth_createAccessList', [{}], {}],
    ['eth_createAccessList', [{}], { accessList: [{ address, storageKeys: ['0x1'] }] }],
    ['debug_traceCall', [{}, 'latest', prestate], []],
    ['debug_traceCall', [{}, 'latest', prestate], { [word]: {} }],
    ['debug_traceCall', [{}, 'latest', prestate], { [address]: { balance: 5 } }],
    ['debug_traceCall', [{}, 'latest', prestate], { [address]: { code: '0xabc' } }],
    ['debug_traceCall', [{}, 'latest', prestate], { [address]: { storage: { '0x1': word } } }],
  ]
  for (const [method, params, answer] of wrong) {
    test(`${method} ${JSON.stringify(params)}: ${JSON.stringify(answer)?.slice(0, 50)}`, () => {
      expect(isWellFormed(method, params, answer)).toBe(false)
    })
  }
})
