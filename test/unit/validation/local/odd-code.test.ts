import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type Hex, numberToHex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { createMetrics } from '../../../../src/base/metrics.ts'
import type { UserOperation } from '../../../../src/types/userop.ts'
import type { SimulatorChain } from '../../../../src/validation/simulator-host.ts'
import { signedOperation, simpleAccount } from '../../../support/accounts.ts'
import { type DevChain, rpc, startDevChain } from '../../../support/devChain.ts'
import { openSimulator } from '../../../support/engines.ts'
import { type FaultyProxy, startFaultyProxy } from '../../../support/faultyProxy.ts'
import { latestBlock, silentContext } from '../../../support/simulation.ts'

let chain: DevChain
/** Without any debug method, as most are. */
let node: FaultyProxy
beforeAll(async () => {
  chain = await startDevChain()
})
afterAll(() => chain.stop())
beforeEach(() => {
  node = startFaultyProxy(chain.url)
  const noSuchMethod = { code: -32601, message: 'the method does not exist' }
  node.refuse(['debug_traceCall', 'eth_createAccessList'], noSuchMethod)
})
afterEach(() => node.stop())

/** Returns 32 bytes of zeros: the account agrees. */
const agree = '5f5f5260205ff3'

/** An operation that costs nothing, of an account with this code. */
async function operationOf(code: string): Promise<UserOperation> {
  const sender = privateKeyToAddress(generatePrivateKey())
  await rpc(chain.url, 'anvil_setCode', [sender, `0x${code}`])
  await rpc(chain.url, 'anvil_mine', [1])
  const template = await signedOperation(chain, await simpleAccount(chain, '0.7'))
  const free = { factory: undefined, factoryData: '0x' as const, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
  return { ...template, ...free, sender }
}

async function judge(op: UserOperation, changes: Partial<SimulatorChain> = {}, metrics = createMetrics()) {
  const context = { ...silentContext(), metrics }
  const simulator = await openSimulator({ url: node.url, chainId: chain.chainId }, changes, context)
  const block = await latestBlock(chain)
  return simulator.validate({ chainId: chain.chainId, op, block, nonceSequence: undefined })
}

const accepted = (level = 'full') => ({ kind: 'accepted', facts: { level } })
const rejected = (error: object) => ({ kind: 'rejected', error })

/** The account's code came to a halt. */
const halted = rejected({ data: { aaCode: 'AA23' } })

/** STATICCALL without input; what it answers is not looked at. */
const call = (address: string): string => `5f5f5f5f${address}5afa50`

test('what calls a precompile of a chain is judged by the node, as far as that will do', async () => {
  const op = await operationOf(call('6064') + agree)
  const ownPrecompiles: SimulatorChain['ownPrecompiles'] = [numberToHex(0x64, { size: 20 })]
  expect(await judge(op)).toMatchObject(rejected({ code: -32502 }))
  expect(await judge(op, { ownPrecompiles, lowestValidation: 'basic' })).toMatchObject(accepted('basic'))
  expect(await judge(op, { ownPrecompiles })).not.toMatchObject({ kind: 'accepted' })
})

test('so is what runs an opcode of a chain', async () => {
  const op = await operationOf(`0c${agree}`)
  const metrics = createMetrics()
  expect(await judge(op)).toMatchObject(halted)
  // The development chain knows it as little: its node has the last word.
  const left = { ownOpcodes: true, lowestValidation: 'basic' } as const
  expect(await judge(op, left, metrics)).toMatchObject(halted)
  expect(await metrics.text()).toContain('validation_unsupported_total{chain="31337",kind="validate"} 1')
})

test('P256VERIFY may be called where a chain has it', async () => {
  const op = await operationOf(call('610100') + agree)
  expect(await judge(op)).toMatchObject(rejected({ code: -32502 }))
  expect(await judge(op, { p256Verify: true })).toMatchObject(accepted())
  expect(await judge(op, { hardfork: 'osaka' })).toMatchObject(accepted())
})

test('an opcode is there from its hardfork on', async () => {
  // CLZ(0), EIP-7939
  const op = await operationOf(`5f1e50${agree}`)
  expect(await judge(op)).toMatchObject(halted)
  expect(await judge(op, { hardfork: 'osaka' })).toMatchObject(accepted())
})

test('limits that only a stake allows are refused before anything runs', async () => {
  const op = { ...(await operationOf(`${'5b'.repeat(20_000)}5f56`)), verificationGasLimit: 5_000_000n }
  expect(await judge(op)).toMatchObject(rejected({ code: -32505, data: { rule: 'LIM-060' } }))
})

/** Follows slot by slot what storage says to be next, from slot 1 on, until it is 0. */
const chaser = `60015b54806002576000${agree}`

async function pointers(length: number): Promise<UserOperation> {
  const op = await operationOf(chaser)
  for (let slot = 1; slot < length; slot += 1) {
    const [at, next] = [slot, slot + 1].map((word): Hex => numberToHex(word, { size: 32 }))
    await rpc(chain.url, 'anvil_setStorageAt', [op.sender, at, next])
  }
  await rpc(chain.url, 'anvil_mine', [1])
  return op
}

test('a short chain of pointers is followed, a long one refused', async () => {
  expect(await judge(await pointers(5))).toMatchObject(accepted())
  const op = await pointers(20)
  expect(await judge(op)).toMatchObject(
    rejected({
      code: -32500,
      message: 'the operation follows pointers through storage: its state was not complete after 8 rounds',
      data: { entity: 'account', address: op.sender },
    }),
  )
})
