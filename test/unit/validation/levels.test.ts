import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { validationLevels } from '../../../src/types/verdict.ts'
import type { SimulatorChain } from '../../../src/validation/simulator-host.ts'
import { fund, signedOperation, simpleAccount } from '../../support/accounts.ts'
import { type DevChain, startDevChain } from '../../support/devChain.ts'
import { openSimulator } from '../../support/engines.ts'
import { type FaultyProxy, startFaultyProxy } from '../../support/faultyProxy.ts'
import { latestBlock } from '../../support/simulation.ts'

let chain: DevChain
let node: FaultyProxy
beforeAll(async () => {
  chain = await startDevChain({ hardfork: 'prague' })
})
afterAll(() => chain.stop())
beforeEach(() => {
  node = startFaultyProxy(chain.url)
})
afterEach(() => node.stop())

/** The level at which an operation of a SimpleAccount is accepted, or how it is not. */
async function outcomeWith(changes: Partial<SimulatorChain>) {
  const account = await simpleAccount(chain, '0.7')
  await fund(chain, account.address)
  const op = await signedOperation(chain, account)
  const simulator = await openSimulator(
    { url: node.url, chainId: chain.chainId },
    { timeoutMs: 30_000, ...changes },
  )
  const block = await latestBlock(chain)
  const verdict = await simulator.validate({ chainId: chain.chainId, op, block, nonceSequence: undefined })
  return verdict.kind === 'accepted' ? verdict.facts.level : verdict.kind
}

const withoutTracer = () => node.refuse(['debug_traceCall'], { code: -32601, message: 'no such method' })
/** ecrecover, which every SimpleAccount calls: our own EVM is told not to know it. */
const beyondUs = { ownPrecompiles: ['0x0000000000000000000000000000000000000001'] } as const

test.each([...validationLevels])('our own EVM does all rules, and more than %s', async (lowestValidation) => {
  withoutTracer()
  expect(await outcomeWith({ lowestValidation })).toBe('full')
})

describe('what our own EVM does not know', () => {
  test.each([
    ['full', 'rejected'],
    ['traced-by-node', 'traced-by-node'],
    ['basic', 'basic'],
  ] as const)(
    'where validation must be %s, on a node with a tracer: %s',
    async (lowestValidation, outcome) => {
      expect(await outcomeWith({ ...beyondUs, lowestValidation })).toBe(outcome)
    },
  )

  test.each([
    ['full', 'rejected'],
    ['traced-by-node', 'rejected'],
    ['basic', 'basic'],
  ] as const)('where validation must be %s, on a node without one: %s', async (lowestValidation, outcome) => {
    withoutTracer()
    expect(await outcomeWith({ ...beyondUs, lowestValidation })).toBe(outcome)
  })
})

describe('at the node', () => {
  const validationEngine = 'node'

  test.each([
    ['full', 'unknown'],
    ['traced-by-node', 'traced-by-node'],
    ['basic', 'basic'],
  ] as const)('where validation must be %s, with a tracer: %s', async (lowestValidation, outcome) => {
    expect(await outcomeWith({ validationEngine, lowestValidation })).toBe(outcome)
  })

  test.each([
    ['traced-by-node', 'unknown'],
    ['basic', 'basic'],
  ] as const)('where validation must be %s, without one: %s', async (lowestValidation, outcome) => {
    withoutTracer()
    expect(await outcomeWith({ validationEngine, lowestValidation })).toBe(outcome)
  })
})

test('a second node traces where the first one does not', async () => {
  withoutTracer()
  const nodeUrls = [node.url, chain.url]
  const changes = { validationEngine: 'node', lowestValidation: 'traced-by-node', nodeUrls } as const
  expect(await outcomeWith(changes)).toBe('traced-by-node')
})
