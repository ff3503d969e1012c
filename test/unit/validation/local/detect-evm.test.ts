import { afterEach, expect, test } from 'bun:test'
import { startAnvil } from '../../../../src/dev/anvil.ts'
import { detectEvm } from '../../../../src/validation/local/detect-evm.ts'
import { startFaultyProxy } from '../../../support/faultyProxy.ts'
import { type GethChain, missingGeth, startGethChain } from '../../../support/gethChain.ts'
import { nodeOf } from '../../../support/simulation.ts'

const running: { stop(): Promise<void> | void }[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

const until = <T extends { stop(): Promise<void> | void }>(started: T): T => {
  running.push(started)
  return started
}

const anvil = async (hardfork: string) =>
  until(await startAnvil({ port: 0, chainId: 31337, blockTime: undefined, path: undefined, hardfork }))

test.each([
  ['shanghai', false],
  ['prague', false],
  ['osaka', true],
] as const)('an EVM with the rules of %s shows them', async (hardfork, p256Verify) => {
  expect(await detectEvm(nodeOf(await anvil(hardfork)))).toEqual({ hardfork, p256Verify })
})

test.each([
  ['00000000', { hardfork: 'shanghai', p256Verify: false }],
  ['01000000', { hardfork: 'cancun', p256Verify: false }],
  ['01000001', { hardfork: 'cancun', p256Verify: true }],
  ['01010001', { hardfork: 'prague', p256Verify: true }],
  ['01010101', { hardfork: 'osaka', p256Verify: true }],
] as const)('what answers %s has what follows from it', async (flags, evm) => {
  const answer = `0x${flags.padEnd(64, '0')}`
  expect(await detectEvm({ requestAt: <Result>() => Promise.resolve(answer as Result) })).toEqual(evm)
})

test.skipIf(missingGeth())('so it does on geth', async () => {
  const chain: GethChain = until(await startGethChain())
  expect(await detectEvm(nodeOf(chain))).toEqual({ hardfork: 'prague', p256Verify: false })
})

test('a node that takes no overrides tells nothing', async () => {
  const { url, chainId } = await anvil('prague')
  const proxy = until(startFaultyProxy(url))
  proxy.refuse(['eth_call'], { code: -32602, message: 'too many arguments, want at most 2' })
  expect(await detectEvm(nodeOf({ url: proxy.url, chainId }))).toBeUndefined()
})

test('a node that is down is no answer', async () => {
  const { url, chainId } = await anvil('prague')
  const proxy = until(startFaultyProxy(url))
  proxy.mode = 'down'
  const failure = await detectEvm(nodeOf({ url: proxy.url, chainId })).catch((error) => error)
  expect(failure).toMatchObject({ name: 'Unavailable' })
})
