import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type Address, type Hex, keccak256, numberToHex } from 'viem'
import { emptyCodeHash } from '../../../../src/evm/word.ts'
import { type BlockView, createBlockView } from '../../../../src/validation/state/block-view.ts'
import { createCodeCache } from '../../../../src/validation/state/code-cache.ts'
import { wordHex } from '../../../../src/validation/state/hex.ts'
import { addSlot, noKeys, type StateKeys } from '../../../../src/validation/state/keys.ts'
import { createLastingCode } from '../../../../src/validation/state/lasting-code.ts'
import type { StateReader } from '../../../../src/validation/state/plain-reads.ts'
import { readByCall } from '../../../../src/validation/state/read-by-call.ts'
import { readState } from '../../../../src/validation/state/read-state.ts'
import { type DevChain, rpc, startDevChain } from '../../../support/devChain.ts'
import { type FaultyProxy, startFaultyProxy } from '../../../support/faultyProxy.ts'
import { latestBlock, nodeOf } from '../../../support/simulation.ts'

const keccak = (bytes: Uint8Array) => BigInt(keccak256(bytes))
const at = (address: bigint): Address => numberToHex(address, { size: 20 })

/** Returns its storage slot 1: none of ours. */
const code: Hex = '0x60015460005260206000f3'
const designator: Hex = `0xef0100${'11'.repeat(20)}`
/** Where the reader stands. */
const reader = 0x74616e64656d20726561646572n
const [contract, delegated, rich, busy, poor, nobody] = [0xc1n, 0xd1n, 0xe1n, 0xe2n, 0xe3n, 0xe4n] as const
const coin = 10n ** 18n

let chain: DevChain
let node: FaultyProxy
beforeAll(async () => {
  chain = await startDevChain()
  const set = (method: string, ...params: unknown[]) => rpc(chain.url, `anvil_${method}`, params)
  for (const [address, bytes] of [
    [contract, code],
    [delegated, designator],
  ] as const) {
    await set('setCode', at(address), bytes)
    for (const slot of [1n, 2n ** 255n])
      await set('setStorageAt', at(address), wordHex(slot), wordHex(slot + address))
  }
  await set('setNonce', at(contract), '0x7')
  for (const address of [rich, contract, reader, 0n]) await set('setBalance', at(address), numberToHex(coin))
  await set('setNonce', at(busy), '0x3')
  await set('mine', 1)
})
afterAll(() => chain.stop())
beforeEach(() => {
  node = startFaultyProxy(chain.url)
})
afterEach(() => node.stop())

type Read = { view: BlockView; reader: StateReader; count: number }

async function readWith(
  read: typeof readByCall,
  keys: StateKeys,
  codes = createCodeCache({ capacity: 1_000_000 }),
): Promise<Read> {
  const view = createBlockView(await latestBlock(chain), createLastingCode({ hardfork: 'prague' }))
  const modules = { node: nodeOf({ ...chain, url: node.url }), codes, keccak }
  return { view, reader: modules, count: await read(keys, view, modules) }
}

function keysOf(accounts: readonly bigint[], slots: readonly (readonly [bigint, bigint])[] = []): StateKeys {
  const keys = noKeys()
  for (const address of accounts) keys.accounts.add(address)
  for (const [address, slot] of slots) addSlot(keys, address, slot)
  return keys
}

function toldOf({ accounts, nonces, slots, blockHashes }: StateKeys, { view, reader: { codes } }: Read) {
  return {
    accounts: [...accounts].map((address) => {
      const account = view.account(address)
      const hash = account?.codeHash ?? emptyCodeHash
      return [address, account, hash === emptyCodeHash ? undefined : codes.get(hash)]
    }),
    nonces: [...nonces].map(view.nonce),
    slots: [...slots].map(([address, of]) => [...of].map((slot) => view.slot(address, slot))),
    blockHashes: [...blockHashes].map(view.blockHash),
  }
}

const slotsOf = (address: bigint) => [1n, 2n, 2n ** 255n].map((slot) => [address, slot] as const)
const everything = keysOf(
  [contract, delegated, rich, busy, poor, nobody, 1n, reader, 0n],
  [delegated, busy, nobody, reader, 0n].flatMap(slotsOf),
)
for (const address of [contract, busy, nobody]) everything.nonces.add(address)
everything.blockHashes.add(0n)

test('tells what plain reads tell', async () => {
  const [plain, byCall] = [await readWith(readState, everything), await readWith(readByCall, everything)]
  expect(toldOf(everything, byCall)).toEqual(toldOf(everything, plain))
  expect(plain.view.account(contract)).toEqual({ balance: coin, codeHash: BigInt(keccak256(code)) })
  expect(plain.view.slot(delegated, 2n ** 255n)).toBe(2n ** 255n + delegated)
  expect([busy, nobody].map(plain.view.account)).toEqual([{ balance: 0n, codeHash: emptyCodeHash }, null])
})

test('slots, balances and code that is known are one call', async () => {
  const { view, reader: modules } = await readWith(readState, keysOf([contract]))
  const next = createBlockView(view.block, view.lastingCode)
  node.calls.clear()
  const keys = keysOf([contract, rich, nobody], [...slotsOf(contract), ...slotsOf(busy)])
  expect(await readByCall(keys, next, modules)).toBe(1)
  expect(Object.fromEntries(node.calls)).toEqual({ eth_call: 1 })
  expect([contract, rich, nobody].map(next.account)).toEqual([
    { balance: coin, codeHash: BigInt(keccak256(code)) },
    { balance: coin, codeHash: emptyCodeHash },
    null,
  ])
})

test('the code of an account whose storage is wanted is read beside, in the same request', async () => {
  await readWith(readByCall, keysOf([rich]))
  const before = node.requests
  const { view, count } = await readWith(readByCall, keysOf([delegated], slotsOf(delegated)))
  expect([count, view.account(delegated)?.codeHash]).toEqual([2, BigInt(keccak256(designator))])
  // The other request asks a new client's node for its chain.
  expect(node.requests - before).toBe(2)
})

test('more than a call can tell takes several', async () => {
  const keys = noKeys()
  for (let slot = 0n; slot < 1500n; slot += 1n) addSlot(keys, delegated, slot)
  for (let address = 1000n; address < 1800n; address += 1n) keys.accounts.add(address)
  const { view, count } = await readWith(readByCall, keys)
  expect(count).toBe(4)
  expect([view.slot(delegated, 1n), view.slot(delegated, 1499n)]).toEqual([1n + delegated, 0n])
  expect([view.account(1000n), view.account(1799n)]).toEqual([null, null])
})

const refused = { code: -32602, message: 'too many arguments, want at most 2' }

test('a node that takes no overrides is told apart', async () => {
  node.refuse(['eth_call'], refused)
  const error = await readWith(readByCall, everything).catch((thrown) => thrown)
  expect(error.name).toBe('ReaderRefused')
})

test.each([
  ['has no program', () => '0x'],
  ['left every account its code', (words: number) => `0x${'00'.repeat(32 * words)}`],
  ['tells too much', (words: number) => `0x${'00'.repeat(32 * (words - 1))}${wordHex(96n).slice(2)}00`],
] as const)('an answer of a node that %s is none', async (_, answer) => {
  const { view, reader: modules } = await readWith(readState, keysOf([]))
  const told = { ...modules.node, requestAt: async () => answer(4) as never }
  const error = await readByCall(keysOf([], slotsOf(contract)), view, { ...modules, node: told }).catch(
    (thrown) => thrown,
  )
  expect(error.name).toBe('ReaderRefused')
  expect(view.slot(contract, 1n)).toBeUndefined()
})
