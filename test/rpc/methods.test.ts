import { describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { numberToHex } from 'viem'
import type { Json } from '../../src/base/errors.ts'
import { createRegistry } from '../../src/rpc/registry.ts'
import { userOperationHash } from '../../src/types/entrypoint.ts'
import type { CallNode, Explanation } from '../../src/types/explanation.ts'
import type { BundlerPort } from '../../src/types/ports/bundler.ts'
import type { StateOverrides } from '../../src/types/ports/simulator.ts'
import { eip7702Factory, type UserOperation } from '../../src/types/userop.ts'
import { facts } from '../support/builders.ts'
import {
  configView,
  entryPoint,
  expectedReceipt,
  fakeBundler,
  hashOf,
  includedState,
  operationReceipt,
  operationStatus,
  otherAddress,
  senderAddress,
  userOp,
  wireOp,
} from '../support/fakeBundler.ts'
import { rpcApp } from '../support/rpcApp.ts'

const registry = createRegistry({ testing: true })
const hash = hashOf('aa')

/** The result, after its schema has agreed to it. */
async function result(bundler: BundlerPort, method: string, params: readonly Json[] = []): Promise<Json> {
  const answer = await rpcApp(bundler).call(method, params)
  expect(answer).toEqual({ jsonrpc: '2.0', id: 1, result: answer.result as Json })
  const schema = registry.find(method, { redirectRpc: false })?.result
  expect(schema && [...Value.Errors(schema, answer.result)]).toEqual([])
  return answer.result as Json
}

/** The operation that the bundler was given. */
async function sent(
  params: readonly Json[],
  port: 'send' | 'explain' | 'drop' = 'send',
  method = 'eth_sendUserOperation',
): Promise<UserOperation | undefined> {
  let given: UserOperation | undefined
  const bundler = fakeBundler({
    [port]: async (op: UserOperation) => {
      given = op
      return hash
    },
  })
  expect(await result(bundler, method, params)).toBe(hash)
  return given
}

const fees = { baseFee: 10n, maxFeePerGas: 2_000n, maxPriorityFeePerGas: 1_000n, legacy: false }

describe('eth_sendUserOperation', () => {
  test('hands over the operation and answers its hash', async () => {
    expect(await sent([wireOp(), entryPoint()])).toEqual(userOp())
  })

  test('takes the EntryPoint in any case', async () => {
    expect(await sent([wireOp(), entryPoint().toLowerCase()])).toEqual(userOp())
  })

  for (const nonce of ['0x1', '1', 1, { type: 'BigNumber', hex: '0x01' }]) {
    test(`takes the quantity ${JSON.stringify(nonce)}`, async () => {
      expect(await sent([{ ...wireOp(), nonce }, entryPoint()])).toEqual(userOp())
    })
  }

  test('null counts as absent', async () => {
    expect(await sent([{ ...wireOp(), paymaster: null, nonsense: null }, entryPoint()])).toEqual(userOp())
  })

  test('the EntryPoint decides the version', async () => {
    const op = userOp({ version: '0.6' })
    expect(await sent([wireOp({ version: '0.6' }), entryPoint('0.6')])).toEqual(op)
    expect(await sent([wireOp(), entryPoint('0.8')])).toEqual(userOp({ version: '0.8' }))
  })

  test('0x7702 marks an EIP-7702 account', async () => {
    const op = await sent([{ ...wireOp(), factory: '0x7702' }, entryPoint('0.8')])
    expect(op?.factory).toBe(eip7702Factory)
  })
})

describe('eth_estimateUserOperationGas', () => {
  const estimate = {
    verificationGasLimit: 60_000n,
    callGasLimit: 50_000n,
    paymasterVerificationGasLimit: 0n,
    paymasterPostOpGasLimit: 0n,
    preVerificationGas: 45_000n,
    maxFeePerGas: 2_000n,
    maxPriorityFeePerGas: 1_000n,
    validAfter: undefined,
    validUntil: undefined,
  }
  const shown = {
    preVerificationGas: '0xafc8',
    verificationGas: '0xea60',
    verificationGasLimit: '0xea60',
    callGasLimit: '0xc350',
    maxFeePerGas: '0x7d0',
    maxPriorityFeePerGas: '0x3e8',
  }
  const method = 'eth_estimateUserOperationGas'

  test("0.6 has the contract's keys", async () => {
    const bundler = fakeBundler({ estimate: async () => estimate })
    expect(await result(bundler, method, [wireOp({ version: '0.6' }), entryPoint('0.6')])).toEqual(shown)
  })

  test("0.7 and later have the paymaster's limits, and the time range where there is one", async () => {
    const bundler = fakeBundler({
      estimate: async () => ({ ...estimate, paymasterPostOpGasLimit: 1n, validAfter: 0, validUntil: 255 }),
    })
    expect(await result(bundler, method, [wireOp(), entryPoint()])).toEqual({
      ...shown,
      paymasterVerificationGasLimit: '0x0',
      paymasterPostOpGasLimit: '0x1',
      validUntil: '0xff',
    })
  })

  test('gas, fees and signature may be missing; overrides go along without their nulls', async () => {
    const given: unknown[] = []
    const bundler = fakeBundler({
      async estimate(...args) {
        given.push(...args)
        return estimate
      },
    })
    const { sender, nonce, callData } = wireOp()
    const overrides = {
      [otherAddress]: { balance: '0x1', code: null, unknown: null, stateDiff: { '0x0': '0x01' } },
    }
    await result(bundler, method, [{ sender, nonce, callData } as Json, entryPoint(), overrides])
    expect(given).toEqual([
      userOp({
        callGasLimit: 0n,
        verificationGasLimit: 0n,
        preVerificationGas: 0n,
        maxFeePerGas: 0n,
        maxPriorityFeePerGas: 0n,
        signature: '0x',
      }),
      { [otherAddress]: { balance: '0x1', stateDiff: { '0x0': '0x01' } } },
    ])
  })

  test('without overrides none are handed over', async () => {
    const given: unknown[] = []
    const bundler = fakeBundler({
      async estimate(_op, overrides) {
        given.push(overrides)
        return estimate
      },
    })
    await result(bundler, method, [wireOp(), entryPoint(), null])
    expect(given).toEqual([undefined])
  })
})

describe('eth_getUserOperationByHash', () => {
  const method = 'eth_getUserOperationByHash'

  test('is null for an unknown operation', async () => {
    expect(await result(fakeBundler(), method, [hash])).toBeNull()
  })

  test('shows a pending operation without a place on chain', async () => {
    const found = { op: userOp(), entryPoint: entryPoint(), inclusion: undefined }
    expect(await result(fakeBundler({ find: async () => found }), method, [hash])).toEqual({
      userOperation: wireOp(),
      entryPoint: entryPoint(),
      transactionHash: null,
      blockHash: null,
      blockNumber: null,
    })
  })

  test('shows where an included operation is', async () => {
    const inclusion = { transactionHash: hashOf('bb'), block: { number: 16, hash: hashOf('cc') } }
    const op = userOp({ version: '0.6', factory: otherAddress, factoryData: '0x01' })
    const found = { op, entryPoint: entryPoint('0.6'), inclusion }
    expect(await result(fakeBundler({ find: async () => found }), method, [hash])).toEqual({
      userOperation: {
        sender: senderAddress,
        nonce: '0x1',
        initCode: `${otherAddress.toLowerCase()}01`,
        callData: '0xb61d27f6',
        callGasLimit: '0xc350',
        verificationGasLimit: '0xea60',
        preVerificationGas: '0xafc8',
        maxFeePerGas: '0x77359400',
        maxPriorityFeePerGas: '0x3b9aca00',
        paymasterAndData: '0x',
        signature: '0xdead',
      },
      entryPoint: entryPoint('0.6'),
      transactionHash: hashOf('bb'),
      blockHash: hashOf('cc'),
      blockNumber: '0x10',
    })
  })

  test('takes a hash in any case', async () => {
    const asked: string[] = []
    const bundler = fakeBundler({
      async find(given) {
        asked.push(given)
        return undefined
      },
    })
    await result(bundler, method, [`0x${'AA'.repeat(32)}`])
    expect(asked).toEqual([hash])
  })
})

describe('eth_getUserOperationReceipt', () => {
  const method = 'eth_getUserOperationReceipt'

  test('is null for an operation that is in no block', async () => {
    expect(await result(fakeBundler(), method, [hash])).toBeNull()
  })

  test("has the contract's keys, however the node wrote them", async () => {
    const bundler = fakeBundler({ receipt: async () => operationReceipt() })
    expect(await result(bundler, method, [hash])).toEqual(expectedReceipt())
  })

  test('names the paymaster and the reason where there are any', async () => {
    const found = operationReceipt()
    const event = { ...found.event, success: false, paymaster: otherAddress }
    const bundler = fakeBundler({ receipt: async () => ({ ...found, event, reason: 'no luck' }) })
    expect(await result(bundler, method, [hash])).toEqual({
      ...expectedReceipt(),
      success: false,
      paymaster: otherAddress,
      reason: 'no luck',
    })
  })
})

describe('what the chain is', () => {
  test('eth_supportedEntryPoints: the preferred one first', async () => {
    expect(await result(fakeBundler(), 'eth_supportedEntryPoints')).toEqual([
      '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
      '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
      '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789',
    ])
  })

  test('eth_chainId', async () => {
    expect(await result(fakeBundler(), 'eth_chainId')).toBe('0x539')
  })

  test('web3_clientVersion is our own', async () => {
    expect(await result(fakeBundler(), 'web3_clientVersion')).toBe('tandem/1.2.3')
  })

  test('bundler_config', async () => {
    expect(await result(fakeBundler(), 'bundler_config')).toEqual(configView as Json)
  })

  test('skandha_config has its own name for one field', async () => {
    const { explorerApiKey, ...rest } = configView
    const expected = { ...rest, etherscanApiKey: explorerApiKey }
    expect(await result(fakeBundler(), 'skandha_config')).toEqual(expected as Json)
  })
})

describe('fees', () => {
  const bundler = fakeBundler({ gasPrice: async () => fees })
  const recommended = { maxPriorityFeePerGas: '0x3e8', maxFeePerGas: '0x7d0' }

  for (const method of ['bundler_getGasPrice', 'skandha_getGasPrice']) {
    test(method, async () => expect(await result(bundler, method)).toEqual(recommended))
  }

  test('rundler_maxPriorityFeePerGas', async () => {
    expect(await result(bundler, 'rundler_maxPriorityFeePerGas')).toBe('0x3e8')
  })

  test('pimlico_getUserOperationGasPrice has three tiers', async () => {
    expect(await result(bundler, 'pimlico_getUserOperationGasPrice')).toEqual({
      slow: recommended,
      standard: { maxPriorityFeePerGas: '0x41a', maxFeePerGas: '0x834' },
      fast: { maxPriorityFeePerGas: '0x44c', maxFeePerGas: '0x898' },
    })
  })

  for (const method of ['bundler_feeHistory', 'skandha_feeHistory']) {
    for (const [count, block, expected] of [
      ['10', 'latest', ['0.7', 10, 'latest']],
      ['0xa', '0x10', ['0.7', 10, 16]],
      [10, '16', ['0.7', 10, 16]],
      [10, 16, ['0.7', 10, 16]],
      [10, 'finalized', ['0.7', 10, 'finalized']],
    ] as const) {
      test(`${method} of ${JSON.stringify([count, block])}`, async () => {
        const asked: unknown[] = []
        const teller = fakeBundler({
          async feeHistory(...args) {
            asked.push(...args)
            return { actualGasPrice: [5n, 0n], maxFeePerGas: [6n, 7n], maxPriorityFeePerGas: [1n, 16n] }
          },
        })
        expect(await result(teller, method, [entryPoint(), count, block])).toEqual({
          actualGasPrice: ['0x5', '0x0'],
          maxFeePerGas: ['0x6', '0x7'],
          maxPriorityFeePerGas: ['0x1', '0x10'],
        })
        expect(asked).toEqual([...expected])
      })
    }
  }

  test('bundler_feeHistory refuses a block that is none', async () => {
    const { error } = await rpcApp(bundler).call('bundler_feeHistory', [entryPoint(), 1, 'newest'])
    expect(error).toEqual({
      code: -32602,
      message: 'newestBlock must be a block tag or number',
      data: { path: 'params[2]' },
    })
  })
})

describe('the status of an operation', () => {
  const reason = { code: -32603, message: 'not stored', data: { what: 'the store did not answer' } }
  const states = [
    [{ kind: 'queued' }, {}, 'queued', 'New'],
    [{ kind: 'pending' }, {}, 'not_submitted', 'New'],
    [{ kind: 'bundled', bundleId: 'b' }, {}, 'not_submitted', 'Pending'],
    [
      { kind: 'submitted', bundleId: 'b', transactionHash: hashOf('bb') },
      { transactionHash: hashOf('bb') },
      'submitted',
      'Submitted',
    ],
    [
      includedState,
      { transactionHash: hashOf('bb'), blockHash: hashOf('cc'), blockNumber: '0x10', success: true },
      'included',
      'OnChain',
    ],
    [
      { kind: 'dropped', reason },
      { reason: { code: -32603, message: 'not stored' } },
      'rejected',
      'Cancelled',
    ],
    [
      { kind: 'expired', reason: { code: -32503, message: 'expired', data: { validUntil: 1 } } },
      { reason: { code: -32503, message: 'expired', data: { validUntil: 1 } } },
      'rejected',
      'Cancelled',
    ],
    [{ kind: 'replaced', by: hashOf('ee') }, { replacedBy: hashOf('ee') }, 'rejected', 'Cancelled'],
  ] as const

  for (const [state, fields, pimlico, skandha] of states) {
    const found = { op: userOp(), entryPoint: entryPoint(), inclusion: undefined }
    const bundler = fakeBundler({ status: async () => operationStatus(state), find: async () => found })
    const transaction = 'transactionHash' in state ? state.transactionHash : undefined

    test(`${state.kind} by bundler_getUserOperationStatus`, async () => {
      expect(await result(bundler, 'bundler_getUserOperationStatus', [hash])).toEqual({
        status: state.kind,
        hash,
        sender: senderAddress,
        entryPoint: entryPoint(),
        at: 1000,
        ...fields,
        validationLevel: 'basic',
        timestamps: { received: 900, [state.kind]: 1000 },
      })
    })

    test(`${state.kind} by pimlico_getUserOperationStatus`, async () => {
      expect(await result(bundler, 'pimlico_getUserOperationStatus', [hash])).toEqual({
        status: pimlico,
        transactionHash: transaction ?? null,
      })
    })

    test(`${state.kind} by skandha_userOperationStatus`, async () => {
      expect(await result(bundler, 'skandha_userOperationStatus', [hash])).toEqual({
        userOp: wireOp(),
        entryPoint: entryPoint(),
        status: skandha,
        ...('reason' in state ? { reason: state.reason.message } : {}),
        ...(transaction === undefined ? {} : { transaction }),
      })
    })
  }

  test('of an unknown one', async () => {
    expect(await result(fakeBundler(), 'bundler_getUserOperationStatus', [hash])).toBeNull()
    expect(await result(fakeBundler(), 'pimlico_getUserOperationStatus', [hash])).toEqual({
      status: 'not_found',
      transactionHash: null,
    })
    const { error } = await rpcApp(fakeBundler()).call('skandha_userOperationStatus', [hash])
    expect(error).toEqual({ code: -32602, message: 'UserOperation not found', data: { path: 'params[0]' } })
  })
})

describe('bundler_explainUserOperation', () => {
  const explained = async (explanation: Explanation) => {
    const asked: (StateOverrides | undefined)[] = []
    const bundler = fakeBundler({
      explain: async (_, overrides) => {
        asked.push(overrides)
        return explanation
      },
    })
    const overrides = { [senderAddress]: { balance: '0x1', code: null } }
    const answer = await result(bundler, 'bundler_explainUserOperation', [wireOp(), entryPoint(), overrides])
    expect(asked).toEqual([{ [senderAddress]: { balance: '0x1' } }])
    return answer
  }

  test('an accepted operation: gas, calls and storage', async () => {
    const [before, after] = [hashOf('00'), hashOf('01')]
    const call: CallNode = {
      ...{ kind: 'call', phase: undefined, from: otherAddress, to: senderAddress, value: 5n },
      ...{ input: '0x12345678', inputSize: 9, decoded: { name: 'execute', args: ['0x1'] } },
      ...{ gas: 1000, gasUsed: 16, result: 'reverted', reason: undefined, output: '0x', outputSize: 0 },
      ...{ revert: 'not today', calls: [] },
    }
    const answer = await explained({
      verdict: { kind: 'accepted', facts: { ...facts(userOp()), level: 'full', validUntil: 9 } },
      findings: [],
      handled: {
        phases: [{ phase: 'execute', succeeded: false, gasUsed: 16, leastGas: 17, limit: 32n }],
        ...{ verificationGas: 10, paymasterVerificationGas: undefined, gasUsed: 255 },
        calls: { ...call, revert: undefined, decoded: undefined, value: 0n, inputSize: 4, calls: [call] },
        callsLeftOut: 0,
        storage: [
          {
            ...{ contract: senderAddress, slot: before, isRead: true, isWritten: true, isTransient: false },
            ...{ phases: ['execute'], before, after },
          },
        ],
      },
    })
    const { number, hash: blockHash } = facts(userOp()).block
    const told = { type: 'CALL', from: otherAddress, to: senderAddress, gas: '0x3e8', gasUsed: '0x10' }
    expect(answer).toEqual({
      ...{ verdict: 'accepted', validationLevel: 'full', validUntil: '0x9', findings: [] },
      block: { number: numberToHex(number), hash: blockHash },
      gas: {
        preOpGas: numberToHex(facts(userOp()).preOpGas),
        prefund: numberToHex(facts(userOp()).prefund),
        ...{ verification: '0xa', handleOps: '0xff' },
      },
      phases: [{ phase: 'execute', success: false, gasUsed: '0x10', leastGas: '0x11', limit: '0x20' }],
      calls: {
        ...{ ...told, input: '0x12345678', output: '0x' },
        calls: [
          {
            ...{ ...told, value: '0x5', function: 'execute', args: ['0x1'] },
            ...{ input: '0x12345678', inputSize: 9, output: '0x', error: 'not today' },
          },
        ],
      },
      storage: [
        {
          ...{ contract: senderAddress, slot: before, access: 'read, write' },
          ...{ phases: ['execute'], before, after },
        },
      ],
    })
  })

  test('a rejected one: the error, and all rules that are broken', async () => {
    const error = { code: -32502, message: 'account used NUMBER', data: { rule: 'OP-011' } }
    const finding = {
      rule: 'OP-011',
      entity: 'account',
      address: senderAddress,
      message: 'account used NUMBER',
      opcode: 'NUMBER',
      hint: 'do not',
    } as const
    const unsaid = { slot: undefined, contract: undefined, liftedBy: undefined }
    expect(
      await explained({
        verdict: { kind: 'rejected', error },
        findings: [{ ...finding, ...unsaid, isLifted: false }],
        handled: undefined,
      }),
    ).toEqual({ verdict: 'rejected', error, gas: {}, findings: [{ ...finding, lifted: false }] })
  })
})

describe('bundler_dropUserOperation', () => {
  const drop = (params: readonly Json[]) => sent(params, 'drop', 'bundler_dropUserOperation')

  test('hands over the no-op and answers the withdrawn hash', async () => {
    expect(await drop([wireOp(), entryPoint()])).toEqual(userOp())
  })

  test('knows 0.6 by its fields', async () => {
    expect(await drop([wireOp({ version: '0.6' })])).toEqual(userOp({ version: '0.6' }))
  })

  test('asks for the EntryPoint where two fit', async () => {
    const { error } = await rpcApp(fakeBundler()).call('bundler_dropUserOperation', [wireOp()])
    expect(error).toMatchObject({ code: -32602, data: { path: 'params[1]' } })
  })

  test('takes the only one that fits', async () => {
    const bundler = fakeBundler({ versions: ['0.7', '0.6'], drop: async () => hash })
    expect(await result(bundler, 'bundler_dropUserOperation', [wireOp()])).toBe(hash)
  })
})

describe('eth_sendUserOperationSync', () => {
  const method = 'eth_sendUserOperationSync'
  const own = userOperationHash(userOp(), 1337)
  const change = { chainId: 1337, entryPoint: entryPoint(), hash: own, sender: senderAddress, at: 1 }

  test('answers the receipt when the operation is included', async () => {
    let included = false
    const bundler = fakeBundler({
      async send() {
        queueMicrotask(() => {
          bundler.emit({ ...change, state: { kind: 'pending' } })
          included = true
          bundler.emit({ ...change, state: includedState })
        })
        return own
      },
      receipt: async (asked) => (included ? operationReceipt(asked) : undefined),
    })
    expect(await result(bundler, method, [wireOp(), entryPoint()])).toEqual(expectedReceipt(own))
  })

  test('answers at once for an operation that is included already', async () => {
    const bundler = fakeBundler({ send: async () => own, receipt: async () => operationReceipt(own) })
    expect(await result(bundler, method, [wireOp(), entryPoint(), 60_000])).toEqual(expectedReceipt(own))
  })

  test('fails with the reason for which the operation was dropped', async () => {
    const reason = { code: -32504, message: 'banned', data: { entity: 'account', address: senderAddress } }
    const bundler = fakeBundler({
      send: async () => own,
      async status() {
        bundler.emit({ ...change, state: { kind: 'dropped', reason } })
        return undefined
      },
    })
    const { error } = await rpcApp(bundler).call(method, [wireOp(), entryPoint()])
    expect(error).toEqual(reason)
  })

  test('fails at once for an operation that is over already', async () => {
    const bundler = fakeBundler({
      send: async () => own,
      status: async () => operationStatus({ kind: 'replaced', by: hashOf('ee') }),
    })
    const { error } = await rpcApp(bundler).call(method, [wireOp(), entryPoint()])
    expect(error).toMatchObject({ code: -32602, data: { replacedBy: hashOf('ee') } })
  })

  test('waits for the hash that sending gave: that of a delegated account is another (EIP-7702)', async () => {
    const hash = hashOf('77')
    const bundler = fakeBundler({
      send: async () => hash,
      receipt: async (asked) => (asked === hash ? operationReceipt(asked) : undefined),
    })
    expect(await result(bundler, method, [wireOp(), entryPoint()])).toEqual(expectedReceipt(hash))
  })

  test('fails when another operation took its place', async () => {
    const bundler = fakeBundler({
      send: async () => own,
      async status() {
        bundler.emit({ ...change, state: { kind: 'replaced', by: hashOf('ee') } })
        return undefined
      },
    })
    const { error } = await rpcApp(bundler).call(method, [wireOp(), entryPoint()])
    expect(error).toMatchObject({ code: -32602, data: { replacedBy: hashOf('ee') } })
  })

  test('says what was accepted when the time is over', async () => {
    const bundler = fakeBundler({ send: async () => own })
    const { error } = await rpcApp(bundler).call(method, [wireOp(), entryPoint(), 1])
    expect(error).toEqual({
      code: 4,
      message: 'accepted, but not included within 1 ms',
      data: { userOpHash: own },
    })
  })

  for (const timeout of [0, 60_001, '5', 1.5]) {
    test(`refuses the wait ${JSON.stringify(timeout)}`, async () => {
      const { error } = await rpcApp(fakeBundler()).call(method, [wireOp(), entryPoint(), timeout])
      expect(error).toEqual({
        code: -32602,
        message: 'timeoutMs must be milliseconds, from 1 to 60000',
        data: { path: 'params[2]' },
      })
    })
  }
})
