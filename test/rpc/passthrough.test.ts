import { describe, expect, test } from 'bun:test'
import { filterMethods } from '../../src/rpc/filters.ts'
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
  const filters = new Set(filterMethods.map(({ name }) => name))
  for (const { name } of passedThrough.filter((method) => !filters.has(method.name))) {
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

  for (const name of ['eth_call', 'eth_newFilter', 'eth_getFilterLogs']) {
    test(`${name} with params too deep to be written down is refused, and no node asked`, async () => {
      const { asked, bundler } = nodeAnswering(null)
      const body = `{"id":1,"method":"${name}","params":["0x1",${'['.repeat(100_000)}${']'.repeat(100_000)}]}`
      expect(await (await rpcApp(bundler).post(body)).json()).toEqual({
        id: 1,
        error: { code: -32602, message: 'params are nested too deeply', data: { path: 'params' } },
      })
      expect(asked).toEqual([])
    })
  }

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

describe('filters', () => {
  /** Makes filters in the node at place 1, and says who was asked for what. */
  function nodes() {
    const asked: unknown[] = []
    const requestOf = (async (node, method, params) => {
      asked.push([node, method, params])
      return { node: node ?? 1, result: method === 'eth_newFilter' ? '0xabc' : ['0x1'] }
    }) as NodeClient['requestOf']
    return { asked, server: rpcApp(fakeBundler({ node: fakeNode({ requestOf }) })) }
  }

  test('are asked of the node that made them', async () => {
    const { asked, server } = nodes()
    const { result: id = null } = await server.call('eth_newFilter', [{ address: '0x1' }])
    expect(id).toBe('0xabc01')
    expect((await server.call('eth_getFilterChanges', [id])).result).toEqual(['0x1'])
    expect((await server.call('eth_uninstallFilter', [id])).result).toEqual(['0x1'])
    expect(asked).toEqual([
      [undefined, 'eth_newFilter', [{ address: '0x1' }]],
      [1, 'eth_getFilterChanges', ['0xabc']],
      [1, 'eth_uninstallFilter', ['0xabc']],
    ])
  })

  test('need an id', async () => {
    for (const id of [null, 7, 'x', '0x']) {
      const { error } = await nodes().server.call('eth_getFilterLogs', [id])
      expect(error).toMatchObject({ code: -32602, data: { path: 'params[0]' } })
    }
  })
})
