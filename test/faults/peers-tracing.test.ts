import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { fund, signedOperation, simpleAccount } from '../support/accounts.ts'
import { call, RpcError } from '../support/client.ts'
import { type DevChain, startDevChain } from '../support/devChain.ts'
import { openSimulator } from '../support/engines.ts'
import { type FaultyProxy, startFaultyProxy } from '../support/faultyProxy.ts'
import { type OpenContracts, openContracts } from '../support/open.ts'
import { startService } from '../support/service.ts'
import { latestBlock } from '../support/simulation.ts'

let chain: DevChain
let open: OpenContracts
let node: FaultyProxy
beforeAll(async () => {
  chain = await startDevChain({ hardfork: 'prague' })
  open = await openContracts(chain)
})
afterAll(() => chain.stop())
beforeEach(() => {
  node = startFaultyProxy(chain.url)
})
afterEach(() => node.stop())

/** The engine that asks the node, behind the proxy. */
const simulatorAt = (lowestValidation: 'basic' | 'traced-by-node') =>
  openSimulator(
    { url: node.url, chainId: chain.chainId },
    { validationEngine: 'node', lowestValidation, timeoutMs: 30_000 },
  )
const jobOf = async (op: UserOperation) => ({
  ...{ chainId: chain.chainId, op, block: await latestBlock(chain), nonceSequence: undefined },
})
async function goodOperation(): Promise<UserOperation> {
  const account = await simpleAccount(chain, '0.7')
  await fund(chain, account.address)
  return signedOperation(chain, account)
}

for (const [what, error] of [
  ['has no tracer any more', { code: -32000, message: 'tracer not found' }],
  ['has no debug methods any more', { code: -32601, message: 'the method debug_traceCall does not exist' }],
  ['fails inside', { code: -32603, message: 'Internal error' }],
  ['is over its limit', { code: -32005, message: 'limit exceeded' }],
  ['runs out of its time', { code: -32000, message: 'execution timeout' }],
] as const) {
  test(`fault 8: a node that ${what} leaves an operation unjudged, not half judged`, async () => {
    const simulator = await simulatorAt('traced-by-node')
    const job = await jobOf(await goodOperation())
    expect(await simulator.validate(job)).toMatchObject({ facts: { level: 'traced-by-node' } })
    node.refuse(['debug_traceCall'], error)
    expect(await simulator.validate(job)).toMatchObject({ kind: 'unknown' })
    expect(await simulator.validate(job)).toMatchObject({ kind: 'unknown' })
  })
}

test('fault 8: where validation without the rules is allowed, no tracer is asked', async () => {
  const simulator = await simulatorAt('basic')
  const job = await jobOf(await goodOperation())
  expect(await simulator.validate(job)).toMatchObject({ kind: 'accepted', facts: { level: 'basic' } })
  expect(node.calls.has('debug_traceCall')).toBe(false)
})

test.each([
  ['signature', 1n, { code: -32507, data: { aaCode: 'AA24' } }],
  ['expiry', 1n << 160n, { code: -32503, data: { aaCode: 'AA22' } }],
] as const)('fault 8: and its %s counts all the same', async (_, answer, error) => {
  const simulator = await simulatorAt('basic')
  const op = await open.operation('0.7', {}, { answer })
  expect(await simulator.validate(await jobOf(op))).toMatchObject({ kind: 'rejected', error })
})

test('fault 8: a caller hears of trouble, and the operation is not in the pool', async () => {
  const service = await startService({
    nodeUrl: node.url,
    relayerKeys: [anvilKeys[2]],
    flags: ['--validation-engine', 'node', '--lowest-validation', 'traced-by-node', '--testing'],
  })
  try {
    const entryPoint = entryPoints['0.7'].address
    const op = formatUserOperation(await goodOperation())
    node.refuse(['debug_traceCall'], { code: -32601, message: 'the method does not exist' })
    const refusal = await call(service.url, 'eth_sendUserOperation', op, entryPoint).catch((error) => error)
    expect(refusal).toBeInstanceOf(RpcError)
    expect(refusal).toMatchObject({ message: 'Internal error' })
    expect(await call<unknown[]>(service.url, 'debug_bundler_dumpMempool', entryPoint)).toEqual([])
  } finally {
    await service.stop()
  }
})
