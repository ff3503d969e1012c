import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Address, encodeFunctionData, parseEther } from 'viem'
import { Unavailable } from '../../../src/base/errors.ts'
import { createLog } from '../../../src/base/log.ts'
import { createMetrics } from '../../../src/base/metrics.ts'
import { createBalanceReader, type Holding } from '../../../src/chain/balances.ts'
import { createNodeClient } from '../../../src/chain/client.ts'
import { entryPoints } from '../../../src/types/entrypoint.ts'
import type { NodeClient, ReadAt } from '../../../src/types/ports/chain.ts'
import { fund } from '../../support/accounts.ts'
import { address } from '../../support/builders.ts'
import { transact } from '../../support/bundles.ts'
import { type DevChain, startDevChain } from '../../support/devChain.ts'
import { deployMulticall } from '../../support/multicall.ts'
import { blockAt } from '../../support/submitter.ts'

const { address: entryPoint, abi } = entryPoints['0.7']
const [rich, poor, paymaster] = [address(0xa1), address(0xa2), address(0xa3)]
/** The last is at a contract that knows nothing of deposits. */
const holdings: readonly Holding[] = [
  { account: rich },
  { account: poor },
  { account: paymaster, at: entryPoint },
  { account: paymaster, at: address(0xa4) },
]
const truth = [parseEther('3'), 0n, parseEther('2'), undefined]

let chain: DevChain
let client: NodeClient
let multicall: Address
beforeAll(async () => {
  chain = await startDevChain()
  const context = { log: createLog({ level: 'silent' }), metrics: createMetrics() }
  client = createNodeClient({ chainId: chain.chainId, urls: [chain.url], timeoutMs: 10_000 }, context)
  multicall = await deployMulticall(chain)
  await fund(chain, rich, parseEther('3'))
  const depositTo = encodeFunctionData({ abi, functionName: 'depositTo', args: [paymaster] })
  await transact(chain, entryPoint, depositTo, { value: parseEther('2') })
})
afterAll(async () => {
  await client?.close()
  await chain?.stop()
})

/** A reader, with the methods that it asks the node for and what it warns of. */
function reader(at: Address, faults: { down?: boolean } = {}) {
  const methods: string[] = []
  const lines: string[] = []
  const counted = <Result>(method: string, task: () => Promise<Result>): Promise<Result> => {
    methods.push(method)
    return faults.down ? Promise.reject(new Unavailable('node')) : task()
  }
  const node: NodeClient = {
    ...client,
    request: <Result>(method: string, params: readonly unknown[]) =>
      counted(method, () => client.request<Result>(method, params)),
    requestAt: <Result>(method: string, params: readonly unknown[], block: ReadAt) =>
      counted(method, () => client.requestAt<Result>(method, params, block)),
  }
  const log = createLog({ level: 'warn', write: (line) => lines.push(line) })
  return { balances: createBalanceReader({ multicall: at }, { node, log }), methods, lines, faults }
}

test('many balances take one call where there is a Multicall3', async () => {
  const { balances, methods } = reader(multicall)
  expect(await balances.read(holdings, 'latest')).toEqual(truth)
  expect(await balances.read(holdings, 'latest')).toEqual(truth)
  expect(methods).toEqual(['eth_getCode', 'eth_call', 'eth_call'])
})

test('without one, each takes its own', async () => {
  const { balances, methods, lines } = reader(address(0xff))
  expect(await balances.read(holdings, 'latest')).toEqual(truth)
  expect(methods.toSorted()).toEqual([
    ...['eth_call', 'eth_call', 'eth_getBalance', 'eth_getBalance', 'eth_getCode'],
  ])
  expect(lines).toEqual([])
})

test('a contract that is none is told once, and done without', async () => {
  const { balances, lines } = reader(entryPoint)
  expect(await balances.read(holdings, 'latest')).toEqual(truth)
  expect(await balances.read(holdings, 'latest')).toEqual(truth)
  expect(lines.length).toBe(1)
  expect(lines[0]).toContain('multicall is no Multicall3')
})

test('one balance needs no contract', async () => {
  const { balances, methods } = reader(multicall)
  expect(await balances.read([{ account: rich }], 'latest')).toEqual([parseEther('3')])
  expect(methods).toEqual(['eth_getBalance'])
})

test('more than a call can take are read in several', async () => {
  const { balances, methods } = reader(multicall)
  const many = Array.from({ length: 501 }, (_, index) => ({ account: index === 500 ? rich : poor }))
  const found = await balances.read(many, 'latest')
  expect([found.length, found.at(-1), found.at(0)]).toEqual([501, parseEther('3'), 0n])
  expect(methods).toEqual(['eth_getCode', 'eth_call', 'eth_call'])
})

test('balances are those of the block that is asked for', async () => {
  const block = await blockAt(chain, 'latest')
  const depositTo = encodeFunctionData({ abi, functionName: 'depositTo', args: [paymaster] })
  await transact(chain, entryPoint, depositTo, { value: 1n })
  for (const at of [multicall, address(0xff)]) {
    const { balances } = reader(at)
    expect((await balances.read(holdings, block))[2]).toBe(parseEther('2'))
    expect((await balances.read(holdings, 'latest'))[2]).toBe(parseEther('2') + 1n)
  }
})

test('a node that cannot tell is no balance, and no proof that there is no contract', async () => {
  const { balances, faults, methods } = reader(multicall, { down: true })
  expect(await balances.read(holdings, 'latest').catch((error) => error)).toBeInstanceOf(Unavailable)
  faults.down = false
  methods.length = 0
  expect((await balances.read(holdings, 'latest'))[0]).toBe(parseEther('3'))
  expect(methods).toEqual(['eth_getCode', 'eth_call'])
})
