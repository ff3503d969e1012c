import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Address, encodeAbiParameters, type Hex, numberToHex, parseEther, zeroAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { preVerificationGas } from '../../../src/gas/preverification.ts'
import { type EntryPointVersion, entryPointVersions } from '../../../src/types/entrypoint-version.ts'
import type { GasLimits, SimulatedGas } from '../../../src/types/gas.ts'
import type { NodeClient } from '../../../src/types/ports/chain.ts'
import type { SimulatorPort, StateOverrides } from '../../../src/types/ports/simulator.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import { estimateAtNode } from '../../../src/validation/estimate/at-node.ts'
import { validationGasSlack } from '../../../src/validation/rules/limit-rules.ts'
import {
  authorization,
  delegatedAccount,
  execute,
  fund,
  sign,
  signedOperation,
  simpleAccount,
} from '../../support/accounts.ts'
import { deployAccount, sendBundle } from '../../support/bundles.ts'
import { type DevChain, rpc, startDevChain } from '../../support/devChain.ts'
import { openSimulator } from '../../support/engines.ts'
import { type OpenContracts, openContracts } from '../../support/open.ts'
import { latestBlock, nodeOf } from '../../support/simulation.ts'

let chain: DevChain
let node: NodeClient
let open: OpenContracts
let simulator: SimulatorPort
beforeAll(async () => {
  chain = await startDevChain()
  node = nodeOf(chain)
  open = await openContracts(chain)
  simulator = await openSimulator(chain)
})
afterAll(() => chain.stop())

type Estimate = (op: UserOperation, stateOverrides?: StateOverrides) => Promise<SimulatedGas>

async function jobOf(op: UserOperation, stateOverrides?: StateOverrides) {
  const block = await latestBlock(chain)
  return { chainId: chain.chainId, op, block, nonceSequence: undefined, stateOverrides }
}

const estimators: Readonly<Record<string, Estimate>> = {
  'our EVM': async (op, stateOverrides) => simulator.estimate(await jobOf(op, stateOverrides)),
  'the node': async (op, stateOverrides) =>
    estimateAtNode(await jobOf(op, stateOverrides), { node, codes: new Map() }),
}

/** As a wallet asks: no gas, no signature, but fees. */
const unpriced = {
  callGasLimit: 0n,
  verificationGasLimit: 0n,
  preVerificationGas: 0n,
  paymasterVerificationGasLimit: 0n,
  paymasterPostOpGasLimit: 0n,
  signature: '0x' as Hex,
}

async function openOperation(
  version: EntryPointVersion,
  changes: Partial<UserOperation> = {},
  settings?: Parameters<OpenContracts['operation']>[2],
): Promise<UserOperation> {
  return open.operation(version, { ...unpriced, ...changes }, settings)
}

/** Reverts unless more than `gas` is left. */
async function gasWatcher(gas: bigint): Promise<Address> {
  const { address } = privateKeyToAccount(generatePrivateKey())
  const code = `0x62${gas.toString(16).padStart(6, '0')}5a11600c575f5ffd5b00`
  await rpc(chain.url, 'anvil_setCode', [address, code])
  return address
}

/** The operation with its estimate, mined alone: whether its call succeeded. */
async function succeedsWith(op: UserOperation, { validAfter: _, validUntil: __, ...limits }: SimulatedGas) {
  const settings = { eip7623: true, pvgMarkup: 0n, expectedBundleSize: 1 }
  const priced = { ...op, ...limits, preVerificationGas: preVerificationGas(op, settings) }
  const { operations } = await sendBundle(chain, [priced])
  return operations[0]?.success
}

describe.each(Object.entries(estimators))('in %s', (_, estimateOf) => {
  /** The error as it crosses threads; fails when there is none. */
  async function refusal(op: UserOperation) {
    const outcome = await estimateOf(op).catch((error) => error)
    if (!(outcome instanceof Error)) throw new Error('an error was expected')
    return outcome
  }

  describe.each([...entryPointVersions])('EntryPoint %s', (version) => {
    test('what is estimated for a counterfactual account is mined, and is not far from what it takes', async () => {
      const account = await simpleAccount(chain, version)
      await fund(chain, account.address)
      const op = { ...(await signedOperation(chain, account)), ...unpriced }
      const { validAfter, validUntil, ...limits } = await estimateOf(op)

      const settings = { eip7623: true, pvgMarkup: 0n, expectedBundleSize: 1 }
      const gas = { ...limits, preVerificationGas: preVerificationGas(op, settings) }
      const { operations } = await sendBundle(chain, [await sign(chain, account, { ...op, ...gas })])
      expect(operations.map(({ success }) => success)).toEqual([true])
      const used = (operations[0]?.actualGasUsed ?? 0n) - gas.preVerificationGas
      expect(limits.verificationGasLimit + limits.callGasLimit).toBeLessThan((used * 13n) / 10n)
      expect({ validAfter, validUntil }).toEqual({ validAfter: undefined, validUntil: undefined })
    })

    test('a sender without funds gets the estimate of one with funds', async () => {
      const account = await simpleAccount(chain, version)
      const callData = execute('0x000000000000000000000000000000000000dEaD')
      const op = { ...(await signedOperation(chain, account, { callData })), ...unpriced }
      const poor = await estimateOf(op)
      await fund(chain, account.address)
      expect(poor).toEqual(await estimateOf(op))
    })

    test('a paymaster and its postOp get what they need', async () => {
      const paymaster = await open.paymaster(version, parseEther('1'), { contextSize: 96n, postOpSlots: 5n })
      const op = await openOperation(version, { paymaster })
      const limits = await estimateOf(op)
      const five = 5n * 22_100n
      if (version === '0.6') {
        expect(limits.verificationGasLimit).toBeGreaterThan(five)
        expect(limits.paymasterPostOpGasLimit).toBe(0n)
      } else {
        expect(limits.paymasterPostOpGasLimit).toBeGreaterThan(five)
        expect(limits.paymasterPostOpGasLimit).toBeLessThan((five * 12n) / 10n)
        expect(limits.paymasterVerificationGasLimit).toBeGreaterThan(0n)
      }
      expect(await succeedsWith(op, limits)).toBe(true)
      const slot = await rpc<Hex>(chain.url, 'eth_call', [
        { to: paymaster, data: open.call('OpenPaymaster', 'postOpSlots') },
        'latest',
      ])
      expect(BigInt(slot)).toBe(5n)
    })

    test('a paymaster without deposit is -32508, AA31', async () => {
      const paymaster = await open.paymaster(version, 0n)
      expect(await refusal(await openOperation(version, { paymaster }))).toMatchObject({
        code: -32508,
        message: 'AA31 paymaster deposit too low',
        data: { aaCode: 'AA31', entity: 'paymaster', paymaster },
      })
    })

    test("a paymaster's refusal is -32501 with its reason", async () => {
      const paymaster = await open.paymaster(version, parseEther('1'), { refusal: 'not for you' })
      expect(await refusal(await openOperation(version, { paymaster }))).toMatchObject({
        code: -32501,
        message: 'AA33 reverted: not for you',
        data: { aaCode: 'AA33', entity: 'paymaster', paymaster },
      })
    })

    test("an account's refusal is -32500 with its reason", async () => {
      const op = await openOperation(version, {}, { refusal: 'closed' })
      expect(await refusal(op)).toMatchObject({
        code: -32500,
        message: 'AA23 reverted: closed',
        data: { aaCode: 'AA23', entity: 'account', address: op.sender },
      })
    })

    test('a postOp that reverts is an error', async () => {
      const paymaster = await open.paymaster(version, parseEther('1'), {
        contextSize: 32n,
        postOpSlots: 1000n,
      })
      expect(await refusal(await openOperation(version, { paymaster }))).toMatchObject({
        code: -32501,
        message: 'AA50 postOp reverted: postOp refuses',
        data: { aaCode: 'AA50', paymaster },
      })
    })

    test('a call that reverts is -32521, decoded', async () => {
      const target = await open.deploy('Reverter')
      const with_ = async (name: string, args: readonly bigint[] = []) =>
        refusal(
          await openOperation(version, { callData: execute(target, 0n, open.call('Reverter', name, args)) }),
        )

      expect(await with_('withReason')).toMatchObject({
        code: -32521,
        message: 'not today',
        data: { revert: { name: 'Error', args: ['not today'] } },
      })
      expect(await with_('withPanic', [0n])).toMatchObject({
        message: 'panic: division by zero (0x12)',
        data: { revert: { name: 'Panic', args: ['0x12'] } },
      })
      const custom = await with_('withCustomError')
      expect(custom).toMatchObject({ code: -32521, data: { revert: { name: null } } })
      expect(String((custom as { data?: { revertData?: Hex } }).data?.revertData)).toHaveLength(2 + 8 + 128)
      expect(await with_('withoutReason')).toMatchObject({
        message: 'reverted without a reason',
        data: { revertData: '0x' },
      })
    })

    test('a call that hides its lack of gas gets what it needs to succeed inside', async () => {
      const target = await open.deploy('Swallower')
      const op = await openOperation(version, {
        callData: execute(target, 0n, open.call('Swallower', 'run', [20n])),
      })
      expect(await succeedsWith(op, await estimateOf(op))).toBe(true)
      const completed = await rpc<Hex>(chain.url, 'eth_call', [
        { to: target, data: open.call('Swallower', 'completed') },
        'latest',
      ])
      expect(BigInt(completed)).toBe(1n)
    })

    test('validation that is dear gets its gas', async () => {
      const op = await openOperation(version, {}, { burn: 1_500_000n })
      const limits = await estimateOf(op)
      expect(limits.verificationGasLimit).toBeGreaterThan(1_500_000n)
      expect(limits.verificationGasLimit).toBeLessThan(1_900_000n)
      expect(await succeedsWith(op, limits)).toBe(true)
    })

    test('a wrong nonce and a factory for a deployed sender are errors', async () => {
      const account = await simpleAccount(chain, version)
      await deployAccount(chain, account)
      const op = { ...(await signedOperation(chain, account)), ...unpriced }
      expect(await refusal({ ...op, nonce: 1n })).toMatchObject({ data: { aaCode: 'AA10' } })
      const plain = { factory: undefined, factoryData: '0x' as const }
      expect(await refusal({ ...op, ...plain, nonce: 5n })).toMatchObject({ data: { aaCode: 'AA25' } })
    })

    test('an account that wants an aggregator is -32506', async () => {
      const aggregator = '0x00000000000000000000000000000000DeaDBeef'
      expect(await refusal(await openOperation(version, {}, { answer: BigInt(aggregator) }))).toMatchObject({
        code: -32506,
        data: { aggregator },
      })
    })

    test('the time range is told', async () => {
      const answer = (5_000_000_000n << 160n) | (4_000_000n << 208n)
      const limits = await estimateOf(await openOperation(version, {}, { answer }))
      expect(limits).toMatchObject({ validAfter: 4_000_000, validUntil: 5_000_000_000 })
    })

    test("the caller's state overrides hold", async () => {
      const op = await openOperation(version, {
        callData: execute('0x000000000000000000000000000000000000dEaD', parseEther('1000')),
      })
      expect(await refusal(op)).toMatchObject({ code: -32521 })
      const rich = { [op.sender]: { balance: numberToHex(parseEther('2000')) } }
      expect((await estimateOf(op, rich)).callGasLimit).toBeGreaterThan(9_000n)
    })

    test('a call of the zero address is as cold as that of any other', async () => {
      const [burnt, rich] = [zeroAddress, privateKeyToAccount(generatePrivateKey()).address]
      await rpc(chain.url, 'anvil_setCoinbase', [privateKeyToAccount(generatePrivateKey()).address])
      for (const address of [burnt, rich]) await rpc(chain.url, 'anvil_setBalance', [address, '0x1'])
      await rpc(chain.url, 'anvil_mine', [1])
      const limitOf = async (to: Address) => {
        const op = await openOperation(version, { callData: execute(to, 1n) })
        return (await estimateOf(op)).callGasLimit
      }
      expect(await limitOf(burnt)).toBe(await limitOf(rich))
    })

    test('fees of zero need no funds', async () => {
      const op = await openOperation(version, { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n })
      expect((await estimateOf(op)).verificationGasLimit).toBeGreaterThan(0n)
    })
  })

  test.each(['0.7', '0.8'] as const)('executeUserOp of %s is called with the operation', async (version) => {
    const target = await open.deploy('Swallower')
    const args = encodeAbiParameters(
      [{ type: 'address' }, { type: 'bytes' }],
      [target, open.call('Swallower', 'run', [3n])],
    )
    const callData: Hex = `0x8dd7712f${args.slice(2)}`
    const op = await openOperation(version, { callData })
    const limits = await estimateOf(op)
    expect(limits.callGasLimit).toBeGreaterThan(3n * 22_100n)
    expect(await succeedsWith(op, limits)).toBe(true)
  })

  test('an EIP-7702 sender is estimated with its future code', async () => {
    const account = delegatedAccount()
    await fund(chain, account.address)
    const eip7702Auth = await authorization(chain, account.owner)
    const op = { ...(await signedOperation(chain, account, { eip7702Auth })), ...unpriced }
    const { validAfter: _, validUntil: __, ...limits } = await estimateOf(op)
    const settings = { eip7623: true, pvgMarkup: 0n, expectedBundleSize: 1 }
    const gas = { ...limits, preVerificationGas: preVerificationGas(op, settings) }
    const { operations } = await sendBundle(chain, [await sign(chain, account, { ...op, ...gas })])
    expect(operations.map(({ success }) => success)).toEqual([true])
  })

  test('an EIP-7702 authorization counts as signed: a wallet signs it after it knows the gas', async () => {
    const account = delegatedAccount()
    await fund(chain, account.address)
    const signed = await authorization(chain, account.owner)
    const op = { ...(await signedOperation(chain, account, { eip7702Auth: signed })), ...unpriced }
    const placeholder = { ...signed, r: `0x${'00'.repeat(32)}`, s: `0x${'00'.repeat(32)}` } as const
    expect(await estimateOf({ ...op, eip7702Auth: placeholder })).toEqual(await estimateOf(op))
  })
})

describe('what our EVM asks of the node', () => {
  /** The development chain behind a counter of HTTP requests. */
  function counted() {
    let requests = 0
    const server = Bun.serve({
      port: 0,
      async fetch(request) {
        requests += 1
        const headers = { 'content-type': 'application/json' }
        return fetch(chain.url, { method: 'POST', headers, body: await request.text() })
      },
    })
    const during = async (task: () => Promise<unknown>): Promise<number> => {
      const before = requests
      await task()
      return requests - before
    }
    return { url: server.url.origin, during, stop: () => server.stop(true) }
  }

  test.each([...entryPointVersions])('EntryPoint %s: one round trip cold, none warm', async (version) => {
    const node = counted()
    try {
      const own = await openSimulator({ ...chain, url: node.url })
      const [first, second] = [await simpleAccount(chain, version), await simpleAccount(chain, version)]
      for (const { address } of [first, second]) await fund(chain, address)
      const block = await latestBlock(chain)
      const jobFor = async (account: typeof first) => {
        const op = { ...(await signedOperation(chain, account)), ...unpriced }
        return { chainId: chain.chainId, op, block, nonceSequence: undefined, stateOverrides: undefined }
      }
      // What is read once: the block's header, and the code that never changes.
      await own.estimate(await jobFor(first))
      const job = await jobFor(second)
      expect(await node.during(() => own.estimate(job))).toBe(1)
      expect(await node.during(() => own.estimate(job))).toBe(0)
    } finally {
      await node.stop()
    }
  })
})

describe.each([...entryPointVersions])('tight in our EVM, EntryPoint %s', (version) => {
  const estimateOf: Estimate = (op, overrides) => estimators['our EVM']?.(op, overrides) ?? Promise.reject()

  /** Whether it succeeds with its estimate, of which `field` has an eighth less, and no slack for validation. */
  async function withLess(op: UserOperation, limits: SimulatedGas, field: keyof GasLimits) {
    const slack = field === 'callGasLimit' || field === 'paymasterPostOpGasLimit' ? 0n : validationGasSlack
    return succeedsWith(op, { ...limits, [field]: ((limits[field] - slack) * 7n) / 8n })
  }

  test('what is estimated is accepted, with the slack that is asked for (LIM-030)', async () => {
    const paymaster = await open.paymaster(version, parseEther('1'))
    for (const op of [await openOperation(version), await openOperation(version, { paymaster })]) {
      const { validAfter: _, validUntil: __, ...limits } = await estimateOf(op)
      expect(await simulator.validate(await jobOf({ ...op, ...limits }))).toMatchObject({ kind: 'accepted' })
    }
  })

  test('a margin for which nobody staked is left out (LIM-060)', async () => {
    const op = await openOperation(version, {}, { burn: 420_000n })
    const { validAfter: _, validUntil: __, ...limits } = await estimateOf(op)
    expect(limits.verificationGasLimit).toBe(499_999n)
    expect(await simulator.validate(await jobOf({ ...op, ...limits }))).toMatchObject({ kind: 'accepted' })
  })

  test('an eighth less for validation is too little', async () => {
    const op = await openOperation(version, {}, { burn: 300_000n })
    expect(await withLess(op, await estimateOf(op), 'verificationGasLimit')).not.toBe(true)
  })

  test('an eighth less for the call is too little', async () => {
    const target = await open.deploy('OpenAccount')
    const set = open.call('OpenAccount', 'set', [1n, 2n, 'a refusal that is longer than one word, two even'])
    const op = await openOperation(version, { callData: execute(target, 0n, set) })
    expect(await withLess(op, await estimateOf(op), 'callGasLimit')).toBe(false)
  })

  test('code that asks for gas that it does not use gets it', async () => {
    const op = await openOperation(version, { callData: execute(await gasWatcher(500_000n)) })
    const limits = await estimateOf(op)
    expect(limits.callGasLimit).toBeLessThan(700_000n)
    expect(await succeedsWith(op, limits)).toBe(true)
  })

  test('code that never has enough gas is given up', async () => {
    const op = await openOperation(version, { callData: execute(await gasWatcher(9_700_000n)) })
    expect(await estimateOf(op).catch((error) => error)).toMatchObject({ code: -32521 })
  })

  test("an eighth less for a paymaster's part is too little", async () => {
    const paymaster = await open.paymaster(version, parseEther('1'), { contextSize: 96n, postOpSlots: 5n })
    const op = await openOperation(version, { paymaster })
    const limits = await estimateOf(op)
    const fields =
      version === '0.6'
        ? (['verificationGasLimit'] as const)
        : (['paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'] as const)
    // Of limits for validation a part has to be left (LIM-030), and a paymaster that does little uses little more.
    for (const field of fields) {
      const slack = field === 'paymasterPostOpGasLimit' ? 0n : validationGasSlack
      const used = { ...limits, [field]: limits[field] - slack }
      expect(await withLess(op, used, field)).not.toBe(true)
    }
  })
})
