import { expect, test } from 'bun:test'
import { type AnswerMeaning, meaningOf, type RpcErrorObject } from '../../../src/chain/answer-meaning.ts'

/** What nodes were seen to answer, and what it means. */
const answers: readonly (readonly [AnswerMeaning, RpcErrorObject])[] = [
  ['verdict', { code: 3, message: 'execution reverted', data: '0x08c379a0' }],
  ['verdict', { code: 3, message: 'execution reverted: header not found' }],
  ['verdict', { code: -32000, message: 'execution reverted' }],
  ['verdict', { code: -32015, message: 'VM execution error.', data: 'Reverted 0x' }],
  ['verdict', { code: -32603, message: 'Internal error', data: '0x08c379a0' }],
  ['verdict', { code: -32000, message: 'nonce too low' }],
  ['verdict', { code: -32001, message: 'Nonce too low' }],
  ['verdict', { code: -32003, message: 'nonce too low' }],
  ['verdict', { code: -32000, message: 'already known' }],
  ['verdict', { code: -32003, message: 'transaction already imported' }],
  ['verdict', { code: -32000, message: 'replacement transaction underpriced' }],
  ['verdict', { code: -32003, message: 'Insufficient funds for gas * price + value' }],
  ['verdict', { code: -32004, message: 'Upfront cost exceeds account balance' }],
  ['verdict', { code: -32000, message: 'intrinsic gas too low' }],
  ['verdict', { code: -32005, message: 'Transaction gas limit exceeds block gas limit' }],
  ['verdict', { code: -32005, message: 'query returned more than 10000 results' }],
  ['verdict', { code: -32002, message: 'Invalid signature' }],
  ['verdict', { code: -32602, message: 'invalid argument 0: hex string without 0x prefix' }],
  ['verdict', { code: -32601, message: 'the method debug_traceCall does not exist/is not available' }],
  ['verdict', { code: -32000, message: 'words of a node that we never met' }],

  ['unknown-block', { code: -32000, message: 'header not found' }],
  ['unknown-block', { code: -32000, message: 'header for hash not found' }],
  ['unknown-block', { code: -32000, message: 'unknown block' }],
  ['unknown-block', { code: -32000, message: 'Block not found' }],
  ['unknown-block', { code: -32000, message: 'hash 0x11 is not currently canonical' }],
  ['unknown-block', { code: -32000, message: 'missing trie node 0x11 (path )' }],
  ['unknown-block', { code: -32000, message: 'required historical state unavailable' }],
  ['unknown-block', { code: -32002, message: 'No state available for block 0x11' }],
  ['unknown-block', { code: -32019, message: 'block is out of range' }],
  ['unknown-block', { code: -32001, message: 'Resource not found' }],
  ['unknown-block', { code: -32602, message: 'BlockOutOfRangeError: block height is 7' }],

  ['failed', { code: -32603, message: 'Internal error' }],
  ['failed', { code: -32000, message: 'execution aborted (timeout = 5s)' }],
  ['failed', { code: -32002, message: 'request timed out' }],
  ['failed', { code: -32000, message: 'context deadline exceeded' }],
  ['failed', { code: -32002, message: 'resource unavailable' }],

  ['busy', { code: -32005, message: 'limit exceeded' }],
  ['busy', { code: 429, message: 'Your app has exceeded its capacity' }],
  ['busy', { code: -32016, message: 'over rate limit' }],
  ['busy', { code: -32090, message: 'slow down' }],
  ['busy', { code: -32000, message: 'Too Many Requests' }],
  ['busy', { code: -32000, message: 'node is still syncing' }],
]

for (const [meaning, error] of answers) {
  test(`${error.code} "${error.message}" is ${meaning}`, () => {
    expect(meaningOf(error)).toBe(meaning)
  })
}
