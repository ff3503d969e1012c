import { expect, test } from 'bun:test'
import { emptyCodeHash } from '../../src/evm/word.ts'
import { evmChain } from '../support/evmChain.ts'
import { code } from '../support/evmCode.ts'
import type { Fixture, FixtureResult } from './fixture.ts'
import { logsHash, stateRoot } from './roots.ts'
import { runFixture } from './run-fixture.ts'
import { preStateOf } from './world.ts'

const chain = await evmChain('cancun')
const { keccak } = chain
const hex = (word: bigint): string => `0x${word.toString(16)}`

const sender = 0x5e4de4n
const contract = 0xc0den
const coinbase = 0xbabebabebabebabebabebabebabebabebabebaben
const runtime = code(1, 1, 'SSTORE', 7, 0, 0, 'LOG1')
const account = { balance: '0x0', nonce: '0x1', code: '0x', storage: {} }

function fixture(post: readonly FixtureResult[], transaction: Partial<Fixture['transaction']> = {}): Fixture {
  return {
    env: {
      currentCoinbase: hex(coinbase),
      currentGasLimit: '0x5f5e100',
      currentNumber: '0x1',
      currentTimestamp: '0x3e8',
      currentBaseFee: '0xa',
    },
    pre: {
      [hex(sender)]: { ...account, balance: '0xde0b6b3a7640000' },
      [hex(contract)]: { ...account, code: `0x${runtime.toHex()}`, storage: { '0x02': '0x02' } },
    },
    transaction: {
      ...{ data: ['0x'], gasLimit: ['0x186a0'], value: ['0x1'], nonce: '0x1' },
      ...{ sender: hex(sender), to: hex(contract), gasPrice: '0xb', ...transaction },
    },
    post: { Cancun: post },
  }
}

const indexes = { data: 0, gas: 0, value: 0 }
const gasUsed = 21_000n + 3n + 3n + 22_100n + 3n + 2n + 2n + 375n + 375n

/** The state after the transaction, worked out by hand. */
async function rootAfter(): Promise<bigint> {
  const pre = preStateOf(fixture([]), keccak)
  const codeHash = keccak(runtime)
  const accountOf = (nonce: bigint, balance: bigint, hash = emptyCodeHash) => ({
    nonce,
    balance,
    codeHash: hash,
  })
  const none = { code: undefined, isFresh: false, slots: new Map() }
  const changes = [
    { address: sender, account: accountOf(2n, 10n ** 18n - 1n - 11n * gasUsed), ...none },
    { address: coinbase, account: accountOf(0n, gasUsed), ...none },
    {
      address: contract,
      account: accountOf(1n, 1n, codeHash),
      ...none,
      slots: new Map([[1n, { value: 1n }]]),
    },
  ]
  return stateRoot(pre, changes, keccak)
}

const logsAfter = logsHash([{ address: contract, topics: [7n], data: new Uint8Array() }], keccak)
const good = { indexes, hash: hex(await rootAfter()), logs: hex(logsAfter) }
const name = 'own d0 g0 v0'

test('a case with the right root and logs passes', async () => {
  expect(await runFixture('own', fixture([good]), chain)).toEqual([{ name }])
})

test('a case with another root fails', async () => {
  const failure = `state root differs (returned, ${gasUsed} gas)`
  expect(await runFixture('own', fixture([{ ...good, hash: '0x01' }]), chain)).toEqual([{ name, failure }])
})

test('a case with other logs fails', async () => {
  const reports = await runFixture('own', fixture([{ ...good, logs: '0x01' }]), chain)
  expect(reports).toEqual([{ name, failure: 'logs differ' }])
})

test('a case that should be invalid fails, unless it is for that reason', async () => {
  const expectException = 'TransactionException.INTRINSIC_GAS_TOO_LOW|TransactionException.SENDER_NOT_EOA'
  const root = hex(await stateRoot(preStateOf(fixture([]), keccak), [], keccak))
  const result = { indexes, hash: root, logs: hex(logsHash([], keccak)), expectException }
  const failures = async (gasLimit: string) => {
    const reports = await runFixture('own', fixture([result], { gasLimit: [gasLimit] }), chain)
    return reports.map(({ failure }) => failure)
  }
  expect(await failures('0x5207')).toEqual([undefined])
  expect(await failures('0x186a0')).toEqual([`returned, ${gasUsed} gas instead of ${expectException}`])
  expect(await failures('0x5f5e101')).toEqual([`gas-limit-above-block instead of ${expectException}`])
})

test('a case of another hardfork is not run', async () => {
  const { post, ...rest } = fixture([good])
  expect(await runFixture('own', { ...rest, post: { London: post.Cancun ?? [] } }, chain)).toEqual([])
})

test('an empty state has the root that everybody knows', async () => {
  const empty = await stateRoot(new Map(), [], keccak)
  expect(hex(empty)).toBe('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421')
})
