import { expect, test } from 'bun:test'
import type { Json } from '../../../src/base/errors.ts'
import { NodeError, revertData } from '../../../src/chain/node-error.ts'

/** Where the kinds of nodes put the bytes of a revert. */
const shapes: readonly (readonly [name: string, data: Json])[] = [
  ['geth, reth, anvil, erigon', '0x08c379a0'],
  ['nethermind, OpenEthereum', 'Reverted 0x08c379a0'],
  ['a provider that wraps it', { data: '0x08c379a0' }],
  ['a wallet that wraps it twice', { originalError: { code: 3, data: '0x08c379a0' } }],
  ['ganache', { result: '0x08c379a0', reason: null }],
]

for (const [name, data] of shapes) {
  test(`revert bytes are found in the shape of ${name}`, () => {
    expect(revertData(new NodeError(-32000, 'execution failed', data))).toBe('0x08c379a0')
  })
}

test('a revert without bytes has empty ones', () => {
  expect(revertData(new NodeError(-32000, 'execution reverted'))).toBe('0x')
  expect(revertData(new NodeError(3, 'oops'))).toBe('0x')
})

test('an error that is no revert has none', () => {
  expect(revertData(new NodeError(-32000, 'nonce too low'))).toBeUndefined()
  expect(revertData(new NodeError(-32602, 'bad', { field: 'to' }))).toBeUndefined()
  expect(revertData(new NodeError(-32602, 'bad', ['0x00']))).toBeUndefined()
})

test('the data of the node is kept as given', () => {
  const error = new NodeError(3, 'execution reverted', '0x1234')
  const { code, message, nodeData, data } = error
  expect({ code, message, nodeData, data }).toEqual({
    code: 3,
    message: 'execution reverted',
    nodeData: '0x1234',
    data: undefined,
  })
})
