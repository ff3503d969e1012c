import { describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import type { Json } from '../../src/base/errors.ts'
import { debugMethods } from '../../src/rpc/methods.ts'
import { createRegistry } from '../../src/rpc/registry.ts'
import type { BundlerDebugPort } from '../../src/types/ports/bundler.ts'
import {
  entryPoint,
  fakeBundler,
  fakeDebug,
  hashOf,
  otherAddress,
  senderAddress,
  userOp,
  wireOp,
} from '../support/fakeBundler.ts'
import { rpcApp } from '../support/rpcApp.ts'

const registry = createRegistry({ testing: true })

async function result(debug: Partial<BundlerDebugPort>, method: string, params: readonly Json[] = []) {
  const bundler = fakeBundler({ debug: fakeDebug(debug) })
  const answer = await rpcApp(bundler, { testing: true }).call(`debug_bundler_${method}`, params)
  const schema = registry.find(`debug_bundler_${method}`, { redirectRpc: false })?.result
  expect(schema && [...Value.Errors(schema, answer.result)]).toEqual([])
  return answer.result
}

/** Notes what it was called with. */
function recorder() {
  const calls: unknown[] = []
  const note =
    (name: string) =>
    (...args: unknown[]) => {
      calls.push([name, ...args])
    }
  const noteLater =
    (name: string) =>
    async (...args: unknown[]) =>
      note(name)(...args)
  return { calls, note, noteLater }
}

describe('without testing', () => {
  for (const { name } of debugMethods) {
    test(`${name} does not exist`, async () => {
      const { error } = await rpcApp(fakeBundler()).call(name)
      expect(error?.code).toBe(-32601)
    })
  }

  test('they are not suggested either', async () => {
    const { error } = await rpcApp(fakeBundler()).call('debug_bundler_clearstate')
    expect(error).toEqual({ code: -32601, message: 'the method debug_bundler_clearstate is not available' })
  })
})

describe('with testing', () => {
  test('clearState empties the pool and the reputation', async () => {
    const { calls, noteLater } = recorder()
    const debug = { clearMempool: noteLater('mempool'), clearReputation: noteLater('reputation') }
    expect(await result(debug, 'clearState')).toBe('ok')
    expect(calls).toEqual([['mempool'], ['reputation']])
  })

  test('clearMempool', async () => {
    const { calls, noteLater } = recorder()
    expect(await result({ clearMempool: noteLater('mempool') }, 'clearMempool')).toBe('ok')
    expect(calls).toEqual([['mempool']])
  })

  test('clearReputation', async () => {
    const { calls, noteLater } = recorder()
    expect(await result({ clearReputation: noteLater('reputation') }, 'clearReputation')).toBe('ok')
    expect(calls).toEqual([['reputation']])
  })

  test('dumpMempool shows the operations as they were sent', async () => {
    const sponsored = {
      paymaster: otherAddress,
      paymasterVerificationGasLimit: 1n,
      paymasterPostOpGasLimit: 2n,
    }
    const debug = { dumpMempool: () => [userOp(), userOp(sponsored)] }
    expect(await result(debug, 'dumpMempool', [entryPoint()])).toEqual([
      {
        sender: senderAddress,
        nonce: '0x1',
        callData: '0xb61d27f6',
        callGasLimit: '0xc350',
        verificationGasLimit: '0xea60',
        preVerificationGas: '0xafc8',
        maxFeePerGas: '0x77359400',
        maxPriorityFeePerGas: '0x3b9aca00',
        signature: '0xdead',
      },
      {
        ...wireOp(),
        paymaster: otherAddress,
        paymasterVerificationGasLimit: '0x1',
        paymasterPostOpGasLimit: '0x2',
        paymasterData: '0x',
      },
    ])
  })

  test('sendBundleNow answers the transaction', async () => {
    expect(await result({ sendBundleNow: async () => hashOf('bb') }, 'sendBundleNow')).toBe(hashOf('bb'))
  })

  test('sendBundleNow answers "ok" when there is nothing to send', async () => {
    expect(await result({ sendBundleNow: async () => undefined }, 'sendBundleNow')).toBe('ok')
  })

  for (const mode of ['manual', 'auto']) {
    test(`setBundlingMode ${mode}`, async () => {
      const { calls, note } = recorder()
      expect(await result({ setBundlingMode: note('mode') }, 'setBundlingMode', [mode])).toBe('ok')
      expect(calls).toEqual([['mode', mode]])
    })
  }

  test('setBundlingMode refuses other modes', async () => {
    const { error } = await rpcApp(fakeBundler(), { testing: true }).call('debug_bundler_setBundlingMode', [
      'off',
    ])
    expect(error).toEqual({
      code: -32602,
      message: 'mode must be "manual" or "auto"',
      data: { path: 'params[0]' },
    })
  })

  for (const seconds of [2, '2', '0x2']) {
    test(`setBundleInterval takes ${JSON.stringify(seconds)} as seconds`, async () => {
      const { calls, note } = recorder()
      expect(await result({ setBundleInterval: note('interval') }, 'setBundleInterval', [seconds])).toBe('ok')
      expect(calls).toEqual([['interval', 2000]])
    })
  }

  test('setReputation', async () => {
    const { calls, note } = recorder()
    const entries = [{ address: otherAddress.toLowerCase(), opsSeen: '0x10', opsIncluded: 5 }]
    expect(await result({ setReputation: note('set') }, 'setReputation', [entries, entryPoint()])).toBe('ok')
    expect(calls).toEqual([['set', '0.7', [{ address: otherAddress, opsSeen: 16, opsIncluded: 5 }]]])
  })

  test('setReputation names the entry that is wrong', async () => {
    const entries = [{ address: otherAddress, opsSeen: -1, opsIncluded: 5 }]
    const server = rpcApp(fakeBundler(), { testing: true })
    const { error } = await server.call('debug_bundler_setReputation', [entries, entryPoint()])
    expect(error).toMatchObject({ code: -32602, data: { path: 'params[0][0].opsSeen' } })
  })

  test('dumpReputation has counts in hex and statuses as numbers', async () => {
    const debug: Partial<BundlerDebugPort> = {
      dumpReputation: () => [
        { address: otherAddress, opsSeen: 16, opsIncluded: 5, status: 'ok' },
        { address: senderAddress, opsSeen: 0, opsIncluded: 0, status: 'throttled' },
        { address: entryPoint(), opsSeen: 10_000, opsIncluded: 0, status: 'banned' },
      ],
    }
    expect(await result(debug, 'dumpReputation', [entryPoint()])).toEqual([
      { address: otherAddress, opsSeen: '0x10', opsIncluded: '0x5', status: 0 },
      { address: senderAddress, opsSeen: '0x0', opsIncluded: '0x0', status: 1 },
      { address: entryPoint(), opsSeen: '0x2710', opsIncluded: '0x0', status: 2 },
    ])
  })

  test('addUserOps', async () => {
    const { calls, noteLater } = recorder()
    const params = [[wireOp(), wireOp({ nonce: 2n })], entryPoint()]
    expect(await result({ addUserOps: noteLater('add') }, 'addUserOps', params)).toBe('ok')
    expect(calls).toEqual([['add', [userOp(), userOp({ nonce: 2n })]]])
  })

  test('addUserOps names the operation that is wrong', async () => {
    const server = rpcApp(fakeBundler(), { testing: true })
    const { error } = await server.call('debug_bundler_addUserOps', [
      [wireOp(), { ...wireOp(), nonce: 'x' }],
      entryPoint(),
    ])
    expect(error).toMatchObject({ code: -32602, data: { path: 'params[0][1].nonce' } })
  })

  test('getStakeStatus', async () => {
    const debug = {
      stakeStatus: async () => ({ stake: 10n ** 18n, unstakeDelaySec: 86_400, isStaked: true }),
    }
    expect(await result(debug, 'getStakeStatus', [otherAddress, entryPoint()])).toEqual({
      stakeInfo: { addr: otherAddress, stake: '1000000000000000000', unstakeDelaySec: 86_400 },
      isStaked: true,
    })
  })
})
