import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Address, Hash } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { entryPointVersions } from '../../src/types/entrypoint-version.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { call, RpcError, send, type WireReceipt } from '../support/client.ts'
import { type DevChain, startDevChain } from '../support/devChain.ts'
import { type FaultyProxy, startFaultyProxy } from '../support/faultyProxy.ts'
import { call as contractCall, perform, touch } from '../support/rules/actions.ts'
import { buildOperation, ruleSuite } from '../support/rules/suite.ts'
import { createRuleWorld, type RuleWorld } from '../support/rules/world.ts'
import { type RunningService, startService } from '../support/service.ts'

/** What a provider without them says. */
const debugMethods = [
  'debug_traceCall',
  'debug_traceTransaction',
  'debug_traceBlockByHash',
  'debug_storageRangeAt',
]

let chain: DevChain
let proxy: FaultyProxy
let service: RunningService

beforeAll(async () => {
  chain = await startDevChain({ hardfork: 'prague' })
  proxy = startFaultyProxy(chain.url)
  proxy.refuse(debugMethods, { code: -32601, message: 'the method does not exist' })
  service = await startService({
    nodeUrl: proxy.url,
    relayerKeys: [anvilKeys[2], anvilKeys[3]],
    flags: ['--hardfork', 'prague', '--log-level', 'warn', '--testing'],
  })
}, 60_000)

afterAll(async () => {
  await service?.stop()
  await proxy?.stop()
  await chain?.stop()
})

/** What a client is told, as the suite writes it. */
async function answer(op: UserOperation): Promise<{ hash: Hash } | RpcError['error']> {
  try {
    return { hash: await send(service.url, op) }
  } catch (error) {
    if (error instanceof RpcError) return error.error
    throw error
  }
}

/** The same again, which waits until it is mined. */
const inclusion = (op: UserOperation): Promise<WireReceipt> =>
  call(
    service.url,
    'eth_sendUserOperationSync',
    formatUserOperation(op),
    entryPoints[op.version].address,
    60_000,
  )

describe.each([...entryPointVersions])('on a node without debug methods, EntryPoint %s', (version) => {
  let world: RuleWorld
  const inclusions: Promise<WireReceipt>[] = []
  beforeAll(async () => {
    const funder = privateKeyToAccount(anvilKeys[1])
    world = await createRuleWorld({ url: chain.url, chainId: chain.chainId, funder }, version)
  }, 60_000)

  const suite = ruleSuite.filter(({ versions }) => versions?.includes(version) ?? true)
  test.each(suite.map((ruleCase) => [`${ruleCase.rule}: ${ruleCase.name}`, ruleCase] as const))(
    '%s',
    async (_, { build, expected }) => {
      const op = await build(world)
      const told = await answer(op)
      if (expected === 'accepted') {
        expect(told).toEqual({ hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
        inclusions.push(inclusion(op))
        return
      }
      const { code, ...data } = expected
      expect(told).toMatchObject({ code, data })
    },
  )

  test('all that was accepted is included', async () => {
    const receipts = await Promise.all(inclusions)
    expect(receipts.length).toBeGreaterThan(40)
    expect(receipts.every(({ success }) => success)).toBe(true)
  })
})

describe('of several operations', () => {
  let world: RuleWorld
  beforeAll(async () => {
    const funder = privateKeyToAccount(anvilKeys[1])
    world = await createRuleWorld({ url: chain.url, chainId: chain.chainId, funder }, '0.7')
    await call(service.url, 'debug_bundler_setBundlingMode', 'manual')
  }, 60_000)

  test('STO-041: none uses its storage in the account of another', async () => {
    const other = await buildOperation(world, {})
    const inOther = (_: RuleWorld, sender: Address) => [
      contractCall(other.sender, { data: perform(touch('store', BigInt(sender))) }),
    ]
    const op = await buildOperation(world, { account: inOther })
    await send(service.url, op)
    expect(await answer(other)).toMatchObject({
      code: -32502,
      data: { rule: 'STO-041', entity: 'account', address: op.sender, contract: other.sender },
    })
  })

  test('COD-010: what relied on other code is dropped, although it would be valid', async () => {
    const op = await buildOperation(world, { sender: 'delegated' })
    const hash = await send(service.url, op)
    await world.changeDelegate()
    await expect(call(service.url, 'debug_bundler_sendBundleNow')).resolves.toBeDefined()
    expect(await call(service.url, 'bundler_getUserOperationStatus', hash)).toMatchObject({
      status: 'dropped',
      reason: { code: -32502, data: { rule: 'COD-010', entity: 'account', address: op.sender } },
    })
  })
})

test('no debug method was used but those that were refused', () => {
  const used = [...proxy.calls.keys()].filter((method) => method.startsWith('debug_'))
  expect(used.filter((method) => !debugMethods.includes(method))).toEqual([])
})
