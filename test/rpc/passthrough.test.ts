import { describe, expect, test } from 'bun:test'
import { passedThrough } from '../../src/rpc/passthrough.ts'
import type { NodeClient } from '../../src/types/ports/chain.ts'
import { fakeBundler, fakeNode } from '../support/fakeBundler.ts'
import { rpcApp } from '../support/rpcApp.ts'

/** A node that answers every call with the same value and notes what it was asked. */
function nodeAnswering(value: unknown) {
  const asked: unknown[] = []
  const request = (async (method, params) => {
    asked.push([method, params])
    return value
  }) as NodeClient['request']
  return { asked, bundler: fakeBundler({ node: fakeNode({ request }) }) }
}

describe('standard methods', () => {
  for (const { name } of passedThrough) {
    test(`${name} is passed through`, async () => {
      const { asked, bundler } = nodeAnswering({ from: 'node' })
      const answer = await rpcApp(bundler).call(name, ['0x1', { a: null }])
      expect(answer).toEqual({ jsonrpc: '2.0', id: 1, result: { from: 'node' } })
      expect(asked).toEqual([[name, ['0x1', { a: null }]]])
    })
  }

  test('null stays null', async () => {
    const { bundler } = nodeAnswering(null)
    expect(await rpcApp(bundler).call('eth_getTransactionReceipt', ['0x1'])).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: null,
    })
  })

  test('do not exist where they are not passed through', async () => {
    const server = rpcApp(nodeAnswering(1).bundler, { redirectRpc: false })
    for (const { name } of passedThrough) {
      expect((await server.call(name)).error?.code).toBe(-32601)
    }
  })

  test('eth_sign never exists', async () => {
    const { asked, bundler } = nodeAnswering('0x')
    expect((await rpcApp(bundler).call('eth_sign', ['0x', '0x'])).error?.code).toBe(-32601)
    expect(asked).toEqual([])
  })

  test("have a budget of their own: more than it holds are refused at once, and the bundler's own go on", async () => {
    const gate = Promise.withResolvers<string>()
    const request = (() => gate.promise) as NodeClient['request']
    const bundler = fakeBundler({ node: fakeNode({ request }) })
    const server = rpcApp(bundler, { limits: { maxBatch: 1000 } })
    const response = server.post(Array.from({ length: 600 }, (_, id) => ({ id, method: 'eth_blockNumber' })))
    expect(await server.call('eth_chainId')).toEqual({ jsonrpc: '2.0', id: 1, result: '0x539' })
    gate.resolve('0x5')
    const answers = (await (await response).json()) as { result?: string; error?: object }[]
    expect(answers.filter(({ result }) => result === '0x5')).toHaveLength(32 + 512)
    expect(answers.find(({ error }) => error !== undefined)?.error).toEqual({
      code: -32005,
      message: 'limit exceeded',
      data: { retryAfterMs: 1000 },
    })
  })
})
