import { expect, test } from 'bun:test'
import { decodeFunctionData, parseAbi, parseEther } from 'viem'
import { operatorPaymasters } from '../../../src/service/paymaster/operators.ts'
import { type PaymasterState, stepsFor, type Wanted } from '../../../src/service/paymaster/steps.ts'
import { entryPoints } from '../../../src/types/entrypoint.ts'
import { address } from '../../store/builders.ts'

const abi = parseAbi([
  'function addStake(uint32 unstakeDelaySec) payable',
  'function depositTo(address account) payable',
  'function setSigner(address signer)',
  'function setNativeFeed(address source, uint32 maxAge)',
  'function setTokenFeed(address token, address source, uint32 maxAge)',
])

const feedOf = (n: number) => ({ kind: 'chainlink', feed: address(n), maxAge: 3600 }) as const
const usdc = { symbol: 'USDC', address: address(10), decimals: 6, price: feedOf(11), onChainFeed: true }
const paymasters = operatorPaymasters({
  paymasterKey: `0x${'1'.repeat(64)}`,
  versions: ['0.8', '0.6'],
  tokens: [usdc],
})
const [shared, token] = paymasters
if (shared === undefined || token?.plan.kind !== 'token') throw new Error('a shared and a token paymaster')

const wanted: Wanted = {
  ...{ stake: parseEther('1'), deposit: parseEther('0.1'), unstakeDelay: 86_400 },
  ...{ nativePrice: feedOf(12), tokens: [usdc] },
}
const complete: PaymasterState = {
  ...{ stake: parseEther('1'), deposit: parseEther('0.1'), unstakeDelay: 86_400, staked: true },
  signer: token.plan.signer,
  nativeFeed: { source: address(12), maxAge: 3600 },
  tokenFeeds: new Map([[address(10), { source: address(11), maxAge: 3600 }]]),
}

/** What each step calls, with what, and where. */
const calls = (steps: ReturnType<typeof stepsFor>) =>
  steps.map(({ to, data, value }) => ({ to, value, ...decodeFunctionData({ abi, data }) }))

test('a shared paymaster of 0.6, and one for tokens of each version, all of one owner', () => {
  expect(paymasters.map(({ plan }) => `${plan.kind} ${plan.version}`)).toEqual([
    'sponsor 0.6',
    'token 0.8',
    'token 0.6',
  ])
  const without = operatorPaymasters({ paymasterKey: `0x${'1'.repeat(64)}`, versions: ['0.8'], tokens: [] })
  expect(without).toEqual([])
})

test('what is complete needs nothing', () => {
  expect(stepsFor(token, complete, wanted)).toEqual([])
  expect(stepsFor(shared, { ...complete, deposit: 0n }, wanted)).toEqual([])
})

test('a new one is deployed, staked, gets a deposit and feeds', () => {
  const [deploy, ...others] = stepsFor(token, undefined, wanted)
  expect(deploy).toMatchObject({ what: 'deploy', to: token.deployment.to, data: token.deployment.data })
  const to = token.deployment.address
  expect(calls(others)).toEqual([
    { to, value: parseEther('1'), functionName: 'addStake', args: [86_400] },
    { to: entryPoints['0.8'].address, value: parseEther('0.1'), functionName: 'depositTo', args: [to] },
    { to, value: 0n, functionName: 'setNativeFeed', args: [address(12), 3600] },
    { to, value: 0n, functionName: 'setTokenFeed', args: [address(10), address(11), 3600] },
  ])
})

test('only what lacks is added, and a longer delay stays', () => {
  const low = { ...complete, stake: parseEther('0.4'), deposit: 1n, unstakeDelay: 90_000 }
  expect(calls(stepsFor(token, low, wanted))).toMatchObject([
    { functionName: 'addStake', args: [90_000], value: parseEther('0.6') },
    { functionName: 'depositTo', value: parseEther('0.1') - 1n },
  ])
})

test('an unlocked stake is locked again', () => {
  expect(calls(stepsFor(shared, { ...complete, staked: false }, wanted))).toMatchObject([
    { functionName: 'addStake', value: 0n },
  ])
})

test('another signer and other feeds are set right', () => {
  const other = {
    ...{ ...complete, signer: address(99) },
    nativeFeed: { source: address(12), maxAge: 60 },
    tokenFeeds: new Map([[address(10), { source: address(98), maxAge: 3600 }]]),
  }
  expect(calls(stepsFor(token, other, wanted))).toMatchObject([
    { functionName: 'setSigner', args: [token.plan.kind === 'token' && token.plan.signer] },
    { functionName: 'setNativeFeed' },
    { functionName: 'setTokenFeed' },
  ])
})

test('feeds are only for tokens that are priced by them', () => {
  const tokens = [{ ...usdc, onChainFeed: false }]
  expect(stepsFor(token, { ...complete, nativeFeed: undefined }, { ...wanted, tokens })).toEqual([])
})
