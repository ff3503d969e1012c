import { describe, expect, test } from 'bun:test'
import { NodeError } from '../../src/chain/node-error.ts'
import { eip7702Factory } from '../../src/types/userop.ts'
import {
  entryPoint,
  fakeBundler,
  fakeNode,
  hashOf,
  senderAddress,
  tableError,
  tableErrors,
  trouble,
  wireOp,
} from '../support/fakeBundler.ts'
import { rpcApp } from '../support/rpcApp.ts'

const send = [wireOp(), entryPoint()]

describe('errors of the table reach the caller whole', () => {
  for (const row of tableErrors) {
    test(`${row.code} on eth_sendUserOperation`, async () => {
      const server = rpcApp(fakeBundler({ send: () => Promise.reject(tableError(row)) }))
      expect(await server.call('eth_sendUserOperation', send)).toEqual({
        jsonrpc: '2.0',
        id: 1,
        error: row as never,
      })
    })

    test(`${row.code} on eth_estimateUserOperationGas`, async () => {
      const server = rpcApp(fakeBundler({ estimate: () => Promise.reject(tableError(row)) }))
      expect(await server.call('eth_estimateUserOperationGas', send)).toEqual({
        jsonrpc: '2.0',
        id: 1,
        error: row as never,
      })
    })
  }
})

describe('trouble of our own', () => {
  for (const [logged, fault, cause] of [
    ['could not tell', trouble(), 'the node did not answer: connection refused'],
    ['call failed', new TypeError('undefined is not an object'), 'undefined is not an object'],
  ] as const) {
    test(`"${logged}" is a fixed text and a log id; the cause is in the log`, async () => {
      const server = rpcApp(fakeBundler({ send: () => Promise.reject(fault) }))
      const { error } = await server.call('eth_sendUserOperation', send)
      const [line] = server.lines.map((text) => JSON.parse(text))
      expect(error).toEqual({ code: -32603, message: 'Internal error', data: { logId: line.logId } })
      expect(line).toMatchObject({
        message: logged,
        error: cause,
        chain: 1337,
        method: 'eth_sendUserOperation',
      })
    })
  }

  test('the log line carries the hash of the operation', async () => {
    const server = rpcApp(fakeBundler({ send: () => Promise.reject(trouble()) }))
    await server.call('eth_sendUserOperation', send)
    const [line] = server.lines.map((text) => JSON.parse(text))
    expect(line.operation).toMatch(/^0x[0-9a-f]{64}$/)
  })

  test('of a delegated account it is the hash that only the chain knows (EIP-7702), or its sender and nonce', async () => {
    const hash = hashOf('77')
    const delegated = [wireOp({ factory: eip7702Factory }), entryPoint('0.8')]
    for (const [own, told] of [
      [async () => hash, { operation: hash }],
      [() => Promise.reject(trouble()), { sender: senderAddress, nonce: '1' }],
    ] as const) {
      const server = rpcApp(fakeBundler({ hash: own, send: () => Promise.reject(trouble()) }))
      await server.call('eth_sendUserOperation', delegated)
      expect(server.lines.map((text) => JSON.parse(text))).toMatchObject([told])
    }
  })

  test('the caller does not wait for what only the log wants', async () => {
    const never = new Promise<never>(() => {})
    const server = rpcApp(fakeBundler({ hash: () => never, send: () => Promise.reject(trouble()) }))
    expect((await server.call('eth_sendUserOperation', send)).error?.code).toBe(-32603)
  })

  test('one failing call of a batch leaves the others alone', async () => {
    const server = rpcApp(fakeBundler({ gasPrice: () => Promise.reject(trouble()) }))
    const response = await server.post([
      { id: 1, method: 'bundler_getGasPrice' },
      { id: 2, method: 'eth_chainId' },
    ])
    expect(await response.json()).toEqual([
      { id: 1, error: { code: -32603, message: 'Internal error', data: { logId: expect.any(String) } } },
      { id: 2, result: '0x539' },
    ])
  })
})

describe("a node's own error is passed on as it is", () => {
  for (const data of [undefined, '0x08c379a0', { reason: 'x' }] as const) {
    test(`with the data ${JSON.stringify(data)}`, async () => {
      const node = fakeNode({ request: () => Promise.reject(new NodeError(3, 'execution reverted', data)) })
      const { error } = await rpcApp(fakeBundler({ node })).call('eth_call', [{}, 'latest'])
      expect(error as unknown).toEqual(
        data === undefined
          ? { code: 3, message: 'execution reverted' }
          : { code: 3, message: 'execution reverted', data },
      )
    })
  }
})

describe('parameters', () => {
  const server = rpcApp(fakeBundler())
  const refusal = async (method: string, params: never[] | readonly unknown[]) =>
    (await server.call(method, params as never)).error

  test('a missing one is named', async () => {
    expect(await refusal('eth_sendUserOperation', [])).toEqual({
      code: -32602,
      message: 'userOperation is missing',
      data: { path: 'params[0]' },
    })
    expect(await refusal('eth_sendUserOperation', [wireOp()])).toEqual({
      code: -32602,
      message: 'entryPoint is missing',
      data: { path: 'params[1]' },
    })
  })

  test('an address that is none', async () => {
    expect(await refusal('eth_sendUserOperation', [wireOp(), '0x12'])).toEqual({
      code: -32602,
      message: 'entryPoint must be an address (0x and 40 hex digits)',
      data: { path: 'params[1]' },
    })
  })

  test('an EntryPoint that is not served, with those that are', async () => {
    expect(
      await refusal('eth_sendUserOperation', [wireOp(), '0x0576a174d229e3cfa37253523e645a78a0c91b57']),
    ).toEqual({
      code: -32602,
      message:
        'EntryPoint 0x0576a174D229E3cFA37253523E645A78A0C91B57 is not served; served: ' +
        '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108 (0.8), 0x0000000071727De22E5E9d8BAf0edAc6f37da032 (0.7), ' +
        '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789 (0.6)',
      data: { path: 'params[1]', entryPoints: [entryPoint('0.8'), entryPoint('0.7'), entryPoint('0.6')] },
    })
  })

  test('a known EntryPoint that this chain lacks', async () => {
    const only07 = rpcApp(fakeBundler({ versions: ['0.7'] }))
    const { error } = await only07.call('eth_sendUserOperation', [wireOp(), entryPoint('0.6')])
    expect(error?.data).toEqual({ path: 'params[1]', entryPoints: [entryPoint('0.7')] })
  })

  test('a misspelt field is named with the nearest one', async () => {
    const { maxFeePerGas, ...rest } = wireOp()
    expect(
      await refusal('eth_sendUserOperation', [{ ...rest, maxFeePergas: maxFeePerGas }, entryPoint()]),
    ).toEqual({
      code: -32602,
      message: 'maxFeePergas is not a field of a 0.7 UserOperation',
      data: { path: 'params[0].maxFeePergas', hint: 'did you mean maxFeePerGas?' },
    })
  })

  for (const nonce of [-1, 1.5, '0x', 'abc', 2 ** 60, '1e3', {}, [], true, `0x1${'0'.repeat(64)}`]) {
    test(`the nonce ${JSON.stringify(nonce)} is no quantity`, async () => {
      const error = await refusal('eth_sendUserOperation', [{ ...wireOp(), nonce }, entryPoint()])
      expect(error).toMatchObject({ code: -32602, data: { path: 'params[0].nonce' } })
    })
  }

  test('absurd gas, with the most that would do', async () => {
    const callGasLimit = `0x${'f'.repeat(64)}`
    expect(await refusal('eth_sendUserOperation', [{ ...wireOp(), callGasLimit }, entryPoint()])).toEqual({
      code: -32602,
      message: `AA94 gas values overflow: callGasLimit must be at most ${2n ** 120n - 1n}`,
      data: { path: 'params[0].callGasLimit', aaCode: 'AA94', atMost: `0x${'f'.repeat(30)}` },
    })
  })

  for (const operation of [1, 'text', [], true]) {
    test(`${JSON.stringify(operation)} is no UserOperation`, async () => {
      expect(await refusal('eth_sendUserOperation', [operation, entryPoint()])).toEqual({
        code: -32602,
        message: 'a UserOperation object is expected',
        data: { path: 'params[0]' },
      })
    })
  }

  for (const hash of ['0x12', 5, 'x'.repeat(66), {}]) {
    test(`${JSON.stringify(hash).slice(0, 12)} is no hash`, async () => {
      for (const method of [
        'eth_getUserOperationByHash',
        'eth_getUserOperationReceipt',
        'bundler_getUserOperationStatus',
        'pimlico_getUserOperationStatus',
        'skandha_userOperationStatus',
      ]) {
        expect(await refusal(method, [hash])).toEqual({
          code: -32602,
          message: 'userOpHash must be 32 bytes of hex',
          data: { path: 'params[0]' },
        })
      }
    })
  }

  test('a wrong state override is named by its place', async () => {
    const overrides = { [entryPoint()]: { balance: 5 } }
    expect(await refusal('eth_estimateUserOperationGas', [wireOp(), entryPoint(), overrides])).toEqual({
      code: -32602,
      message: 'stateOverrides must be state overrides by address: balance, nonce, code, state, stateDiff',
      data: { path: `params[2].${entryPoint()}.balance` },
    })
  })
})
