import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { entryPointVersions } from '../../../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../../../src/types/userop.ts'
import type { SimulatorChain, SimulatorHandlers } from '../../../../src/validation/simulator-host.ts'
import { fund, signedOperation, simpleAccount } from '../../../support/accounts.ts'
import { deployAccount } from '../../../support/bundles.ts'
import { type DevChain, rpc, startDevChain } from '../../../support/devChain.ts'
import { openSimulator } from '../../../support/engines.ts'
import { type FaultyProxy, startFaultyProxy } from '../../../support/faultyProxy.ts'
import { latestBlock } from '../../../support/simulation.ts'

const noSuchMethod = { code: -32601, message: 'the method does not exist' }

let chain: DevChain
let node: FaultyProxy
let simulator: SimulatorHandlers
beforeAll(async () => {
  chain = await startDevChain()
})
afterAll(() => chain.stop())
beforeEach(() => {
  node = startFaultyProxy(chain.url)
})
afterEach(() => node.stop())

async function open(changes: Partial<SimulatorChain> = {}): Promise<void> {
  simulator = await openSimulator({ url: node.url, chainId: chain.chainId }, changes)
}

async function judge(op: UserOperation) {
  return simulator.validate({
    ...{ chainId: chain.chainId, op, block: await latestBlock(chain), nonceSequence: undefined },
  })
}

/** What the node was asked meanwhile, besides what the block is and whether it is the right chain. */
async function askedFor(task: () => Promise<unknown>): Promise<Record<string, number>> {
  node.calls.clear()
  await task()
  const { eth_chainId: _chain, eth_getBlockByHash: _block, ...asked } = Object.fromEntries(node.calls)
  return asked
}

const accepted = { kind: 'accepted', facts: { level: 'full' } }

describe.each([...entryPointVersions])('validation for EntryPoint %s', (version) => {
  async function deployed(): Promise<UserOperation> {
    const account = await simpleAccount(chain, version)
    await deployAccount(chain, account)
    await fund(chain, account.address)
    return signedOperation(chain, account, { nonce: 1n, factory: undefined, factoryData: '0x' })
  }

  test('asks once for what is cold and like nothing before, and for nothing that is warm', async () => {
    const fresh = await simpleAccount(chain, version)
    await fund(chain, fresh.address)
    const [unlike, op] = [await signedOperation(chain, fresh), await deployed()]
    await open()
    expect(await judge(unlike)).toMatchObject(accepted)
    expect(await askedFor(async () => expect(await judge(op)).toMatchObject(accepted))).toEqual({
      debug_traceCall: 1,
    })
    expect(await askedFor(() => judge(op))).toEqual({})
  })

  test('reads by one call what an account is like, and its code beside', async () => {
    const [first, second] = [await deployed(), await deployed()]
    await open()
    expect(await judge(first)).toMatchObject(accepted)
    expect(await askedFor(async () => expect(await judge(second)).toMatchObject(accepted))).toEqual({
      ...{ eth_call: 1, eth_getCode: 1 },
    })
    await rpc(chain.url, 'anvil_mine', [1])
    expect(await askedFor(async () => expect(await judge(second)).toMatchObject(accepted))).toEqual({
      eth_call: 1,
    })
  })

  test('takes one round trip for an account that is made on the way, like one before', async () => {
    const fresh = async () => {
      const account = await simpleAccount(chain, version)
      await fund(chain, account.address)
      return signedOperation(chain, account)
    }
    const [first, second] = [await fresh(), await fresh()]
    await open()
    expect(await judge(first)).toMatchObject(accepted)
    const requests = node.requests
    expect(await judge(second)).toMatchObject(accepted)
    expect(node.requests - requests).toBe(1)
  })

  test('needs no debug method: what was read before is read ahead, in one request', async () => {
    node.refuse(['debug_traceCall', 'eth_createAccessList', 'eth_call'], noSuchMethod)
    const [first, second] = [await deployed(), await deployed()]
    await open()
    expect(await judge(first)).toMatchObject(accepted)
    const requests = node.requests
    expect(await judge(second)).toMatchObject(accepted)
    expect(node.requests - requests).toBe(1)
  })

  test('takes an access list where that is all there is', async () => {
    node.refuse(['debug_traceCall'], noSuchMethod)
    const op = await deployed()
    await open()
    const asked = await askedFor(async () => expect(await judge(op)).toMatchObject(accepted))
    expect(asked).toMatchObject({ debug_traceCall: 1, eth_createAccessList: 1 })
  })

  test('finds what was fetched ahead for a new head', async () => {
    const op = await deployed()
    await open()
    await judge(op)
    await rpc(chain.url, 'anvil_mine', [1])
    const block = await latestBlock(chain)
    await simulator.prepare({ chainId: chain.chainId, block, ops: [op], reorg: false })
    expect(await askedFor(async () => expect(await judge(op)).toMatchObject(accepted))).toEqual({})
  })
})

test.each(['down', 'unavailable', 'garbage', 'wrong-types', 'drop-one', 'unknown-block'] as const)(
  'a node that is %s makes no verdict',
  async (mode) => {
    const account = await simpleAccount(chain, '0.7')
    await fund(chain, account.address)
    const op = await signedOperation(chain, account)
    await open({ timeoutMs: 1000 })
    node.mode = mode
    expect(await judge(op)).toMatchObject({ kind: 'unknown' })
    node.mode = 'pass'
  },
)

test('a read that fails makes no verdict, and is tried again by the next', async () => {
  const account = await simpleAccount(chain, '0.8')
  await fund(chain, account.address)
  const op = await signedOperation(chain, account)
  await open()
  node.refuse(['eth_getBalance'])
  expect(await judge(op)).toMatchObject({ kind: 'unknown' })
  node.refuse([])
  expect(await judge(op)).toMatchObject(accepted)
})
