import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { type Address, type Hash, type Hex, pad, parseGwei, parseTransaction } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import type { OpenBundle, Relaying } from '../../src/types/ports/submitter.ts'
import type { TestAccount } from '../support/accounts.ts'
import { call, send, type WireReceipt, watchStates } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { type FaultyProxy, startFaultyProxy } from '../support/faultyProxy.ts'
import { fleet, operation } from '../support/fleet.ts'
import { type RelayMode, type RelayStub, startRelayStub } from '../support/relayStub.ts'
import { type RunningService, scratchDirectory, startService, startTandem } from '../support/service.ts'
import { type Bench, fees, fundedKey, nonceOf, order, placeOf, startBench } from '../support/submitter.ts'

let chain: DevChain
let relay: RelayStub
const benches: Bench[] = []

beforeAll(async () => {
  chain = await startDevChain()
  await rpc(chain.url, 'evm_setAutomine', [false])
  relay = startRelayStub(chain.url)
})
beforeEach(async () => {
  relay.mode = 'includes'
  relay.requests.length = 0
  await rpc(chain.url, 'anvil_setNextBlockBaseFeePerGas', [`0x${parseGwei('1').toString(16)}`])
})
afterAll(async () => {
  for (const { submitter } of benches) await submitter.stop()
  await relay.stop()
  await chain.stop()
})

type Changes = { fallbackBlocks?: number; journal?: readonly OpenBundle[]; relayTimeoutMs?: number }

async function bench(
  mode: Exclude<Relaying['mode'], 'classic'>,
  keys: readonly Hex[],
  { fallbackBlocks, ...changes }: Changes = {},
): Promise<Bench> {
  const made = await startBench(chain, keys, { ...changes, relaying: relayingOf(mode, fallbackBlocks) })
  benches.push(made)
  return made
}

function relayingOf(
  mode: Exclude<Relaying['mode'], 'classic'>,
  fallbackBlocks: number | undefined,
): Relaying {
  const at = { url: relay.url, fallbackBlocks }
  switch (mode) {
    case 'flashbots':
      return { mode, ...at, authKey: undefined }
    case 'merkle':
      return { mode, ...at }
    case 'kolibri':
      return { mode, ...at, apiKey: undefined }
  }
}

/** Raw transactions that the relay was given, as often as it was. */
function relayed(): Hex[] {
  return relay.requests.map(({ body: { method, params } }) => {
    const [first] = params
    return method === 'eth_sendBundle' ? ((first as { txs: Hex[] }).txs[0] as Hex) : (first as Hex)
  })
}

function rawOf({ host }: Pick<Bench, 'host'>, bundleId: string): readonly Hex[] {
  return host.open.get(bundleId)?.transactions.map(({ raw }) => raw) ?? []
}

const modes = ['flashbots', 'merkle', 'kolibri'] as const

describe.each(modes)('%s', (mode) => {
  test('a bundle goes to the relay and to nobody else, and its inclusion is read from the chain', async () => {
    const relayer = await fundedKey(chain)
    const { submitter, host, sent, mine, kinds } = await bench(mode, [relayer.key])
    const bundle = order(relayer.address)
    const { transactionHash } = await submitter.submit(bundle)
    expect(relayed()).toEqual([...rawOf({ host }, bundle.bundleId)])
    await mine()
    expect(kinds()).toEqual(['submitted', 'mined'])
    expect(host.events.at(-1)).toMatchObject({ transactionHash, reverted: false })
    expect(sent).toEqual([])
  })

  const faults: RelayMode[] = [
    'forgets',
    'silent',
    'garbage',
    'http-500',
    'refuses',
    'refuses-in-text',
    ...(mode === 'flashbots' ? [] : (['wrong-hash'] as const)),
  ]
  test.each(faults)(
    'a relay that %s: after the configured blocks the nodes get the same transaction',
    async (fault) => {
      relay.mode = fault
      const relayer = await fundedKey(chain)
      const changes = { fallbackBlocks: 1, ...(fault === 'silent' ? { relayTimeoutMs: 50 } : {}) }
      const { submitter, host, sent, mine, kinds } = await bench(mode, [relayer.key], changes)
      const bundle = order(relayer.address)
      const { transactionHash } = await submitter.submit(bundle)
      expect(sent).toEqual([])
      await mine()
      expect(sent).toEqual([...rawOf({ host }, bundle.bundleId)])
      expect(await placeOf(chain, transactionHash)).toBe('pool')
      await mine()
      expect(kinds()).toEqual(['submitted', 'mined'])
      expect(host.events.at(-1)).toMatchObject({ transactionHash, operations: bundle.operations })
      expect(await nonceOf(chain, relayer.address)).toBe(1)
      expect(host.relayers[0]).toMatchObject({ state: 'idle', nextNonce: 1 })
    },
  )

  test('a relay that says no and includes it all the same: mined once, its nonce is not used again', async () => {
    relay.mode = 'lies'
    const relayer = await fundedKey(chain)
    const { submitter, host, sent, mine, kinds } = await bench(mode, [relayer.key])
    const { transactionHash } = await submitter.submit(order(relayer.address))
    expect(host.relayers[0]).toMatchObject({ state: 'busy', nextNonce: 1 })
    await mine()
    expect(kinds()).toEqual(['submitted', 'mined'])
    expect(host.events.at(-1)).toMatchObject({ transactionHash })
    expect(sent).toEqual([])
  })

  test('a relay that comes too late: the nodes had it mined, once', async () => {
    relay.mode = 'late'
    const relayer = await fundedKey(chain)
    const changes = { fallbackBlocks: 1, relayTimeoutMs: 50 }
    const { submitter, host, mine, kinds } = await bench(mode, [relayer.key], changes)
    const { transactionHash } = await submitter.submit(order(relayer.address))
    await mine()
    await mine()
    await relay.release()
    await mine()
    expect(kinds()).toEqual(['submitted', 'mined'])
    expect(host.events.at(-1)).toMatchObject({ transactionHash })
    expect(await nonceOf(chain, relayer.address)).toBe(1)
  })

  test('without a fallback what the relay says no to is cancelled in public: nothing of it is shown', async () => {
    relay.mode = 'refuses'
    const relayer = await fundedKey(chain)
    const { submitter, host, sent, mine, kinds } = await bench(mode, [relayer.key])
    const bundle = order(relayer.address)
    await submitter.submit(bundle)
    await mine()
    expect(sent).toEqual([])
    await mine()
    await mine()
    expect(kinds()).toEqual(['submitted', 'submitted', 'abandoned'])
    expect(host.events.at(-1)).toMatchObject({ operations: bundle.operations })
    expect(sent.map((raw) => parseTransaction(raw).data)).toEqual([undefined])
    expect(await nonceOf(chain, relayer.address)).toBe(1)
    expect(host.relayers[0]).toMatchObject({ state: 'idle', nextNonce: 1 })
  })

  test('start after a crash: it is sent again, through the relay', async () => {
    relay.mode = 'forgets'
    const relayer = await fundedKey(chain)
    const before = await bench(mode, [relayer.key])
    const bundle = order(relayer.address)
    await before.submitter.submit(bundle)
    await before.submitter.stop()
    const raws = rawOf(before, bundle.bundleId)

    relay.mode = 'includes'
    relay.requests.length = 0
    const after = await bench(mode, [relayer.key], { journal: [...before.host.open.values()] })
    expect(relayed()).toEqual([...raws])
    await after.mine()
    expect(after.kinds()).toEqual(['mined'])
    expect([...before.sent, ...after.sent]).toEqual([])
    expect(await nonceOf(chain, relayer.address)).toBe(1)
  })
})

test('flashbots: a bundle is for the next block, and is sent for the one after it when it was passed over', async () => {
  relay.mode = 'forgets'
  const relayer = await fundedKey(chain)
  const { submitter, mine, kinds } = await bench('flashbots', [relayer.key])
  const head = Number(await rpc<Hex>(chain.url, 'eth_blockNumber'))
  await submitter.submit(order(relayer.address))
  await mine()
  relay.mode = 'includes'
  await mine()
  const targets = relay.requests.map(({ body }) => (body.params[0] as { blockNumber: Hex }).blockNumber)
  expect(targets.slice(0, 2).map(Number)).toEqual([head + 1, head + 2])
  await mine()
  expect(kinds().at(-1)).toBe('mined')
})

test('a bundle that a relay took and does not get included is made dearer, up to what its operations pay', async () => {
  relay.mode = 'forgets'
  const relayer = await fundedKey(chain)
  const { submitter, host, sent, mine, kinds } = await bench('merkle', [relayer.key])
  const ceiling = { maxFeePerGas: (fees.maxFeePerGas * 9n) / 8n, maxPriorityFeePerGas: parseGwei('2') }
  const bundle = order(relayer.address, { ceiling })
  await submitter.submit(bundle)
  for (let block = 0; block < 5; block++) await mine()
  expect(kinds()).toEqual(['submitted', 'submitted', 'held'])
  expect(host.open.get(bundle.bundleId)?.transactions.at(-1)?.maxFeePerGas).toBe(ceiling.maxFeePerGas)
  expect(sent).toEqual([])
})

test('a bundle that the relay left alone is mined once when a stranger passes it on', async () => {
  relay.mode = 'forgets'
  const relayer = await fundedKey(chain)
  const { submitter, host, mine, kinds } = await bench('merkle', [relayer.key])
  const bundle = order(relayer.address)
  await submitter.submit(bundle)
  await rpc(chain.url, 'eth_sendRawTransaction', [rawOf({ host }, bundle.bundleId)[0]])
  await mine()
  expect(kinds()).toEqual(['submitted', 'mined'])
})

describe('conditional', () => {
  const slot: Hex = `0x${'00'.repeat(31)}07`
  const account: Address = '0x00000000000000000000000000000000000acc01'

  async function conditional(relayer: { key: Hex }, changes: { journal?: readonly OpenBundle[] } = {}) {
    const relaying: Relaying = { mode: 'classic', submitUrl: relay.url, conditional: true }
    const made = await startBench(chain, [relayer.key], { ...changes, relaying })
    benches.push(made)
    return made
  }

  function onCondition(relayer: Address, value: bigint) {
    const knownAccounts = { [account]: { [slot]: `0x${value.toString(16).padStart(64, '0')}` as Hex } }
    return order(relayer, { conditions: { knownAccounts } })
  }

  beforeEach(() => setSlot(7n))
  async function setSlot(value: bigint): Promise<void> {
    await rpc(chain.url, 'anvil_setStorageAt', [account, slot, `0x${value.toString(16).padStart(64, '0')}`])
  }

  test('a bundle whose conditions hold is included', async () => {
    const relayer = await fundedKey(chain)
    const { submitter, mine, kinds } = await conditional(relayer)
    await submitter.submit(onCondition(relayer.address, 7n))
    expect(relay.requests.map(({ body }) => body.method)).toEqual(['eth_sendRawTransactionConditional'])
    await mine()
    expect(kinds()).toEqual(['submitted', 'mined'])
  })

  test('one whose conditions do not hold is never sent anywhere: its operations and its nonce are free', async () => {
    const relayer = await fundedKey(chain)
    const { submitter, host, mine, kinds } = await conditional(relayer)
    const refused = await submitter.submit(onCondition(relayer.address, 8n)).catch((error) => error)
    expect(refused.message).toBe('Internal error')
    expect(kinds()).toEqual(['abandoned'])
    expect(host.relayers[0]).toMatchObject({ state: 'idle', nextNonce: 0 })
    await submitter.submit(onCondition(relayer.address, 7n))
    await mine()
    expect(kinds()).toEqual(['abandoned', 'submitted', 'mined'])
  })

  test('one whose conditions fail while it waits is cancelled, at a fraction of the price of a revert', async () => {
    const relayer = await fundedKey(chain)
    const { submitter, host, mine, kinds } = await conditional(relayer)
    relay.mode = 'forgets'
    const bundle = onCondition(relayer.address, 7n)
    await submitter.submit(bundle)
    relay.mode = 'includes'
    await setSlot(8n)
    for (let block = 0; block < 3; block++) await mine()
    expect(kinds()).toEqual(['submitted', 'submitted', 'abandoned'])
    expect(host.events.at(-1)).toMatchObject({ operations: bundle.operations })
    expect(await nonceOf(chain, relayer.address)).toBe(1)
  })

  test('start after a crash: it is sent again on the same conditions', async () => {
    const relayer = await fundedKey(chain)
    const before = await conditional(relayer)
    relay.mode = 'forgets'
    await before.submitter.submit(onCondition(relayer.address, 7n))
    await before.submitter.stop()
    const [first] = relay.requests
    relay.mode = 'includes'
    const after = await conditional(relayer, { journal: [...before.host.open.values()] })
    expect(relay.requests.at(-1)?.body.params).toEqual(first?.body.params ?? [])
    await after.mine()
    expect(after.kinds()).toEqual(['mined'])
  })
})

describe('access list', () => {
  async function withList(key: Hex, changes: Parameters<typeof startBench>[2] = {}) {
    const made = await startBench(chain, [key], { accessList: true, ...changes })
    benches.push(made)
    return made
  }

  function signedIn({ host }: Pick<Bench, 'host'>, bundleId: string) {
    return rawOf({ host }, bundleId).map((raw) => {
      const { type, gas, accessList } = parseTransaction(raw)
      return { type, gas, accessList }
    })
  }

  test('names what the bundle reads, and adds the gas that it takes', async () => {
    const relayer = await fundedKey(chain)
    const { submitter, host, mine, kinds } = await withList(relayer.key)
    const bundle = order(relayer.address)
    await submitter.submit(bundle)
    const address = entryPoints['0.7'].address.toLowerCase() as Address
    expect(signedIn({ host }, bundle.bundleId)).toEqual([
      {
        type: 'eip1559',
        gas: bundle.gasLimit + 2400n + 1900n,
        accessList: [{ address, storageKeys: [expect.stringMatching(/^0x[0-9a-f]{64}$/)] }],
      },
    ])
    await mine()
    expect(kinds()).toEqual(['submitted', 'mined'])
  })

  test('stays in a replacement', async () => {
    const relayer = await fundedKey(chain)
    const { submitter, host, head } = await withList(relayer.key, { replaceAfterBlocks: 1 })
    const bundle = order(relayer.address)
    const { transactionHash } = await submitter.submit(bundle)
    await rpc(chain.url, 'anvil_dropTransaction', [transactionHash])
    await rpc(chain.url, 'evm_mine')
    await head()
    const [first, second] = signedIn({ host }, bundle.bundleId)
    expect(first?.accessList).toHaveLength(1)
    expect(second).toEqual(first as NonNullable<typeof first>)
  })

  test('is left out where the node makes none: the bundle goes all the same', async () => {
    const proxy = startFaultyProxy(chain.url)
    proxy.refuse(['eth_createAccessList'], { code: -32601, message: 'the method does not exist' })
    const relayer = await fundedKey(chain)
    const { submitter, host, mine, kinds } = await withList(relayer.key, { nodeUrls: [proxy.url] })
    const bundle = order(relayer.address)
    await submitter.submit(bundle)
    expect(proxy.calls.get('eth_createAccessList')).toBe(1)
    expect(signedIn({ host }, bundle.bundleId)[0]).toMatchObject({ gas: bundle.gasLimit })
    await mine()
    expect(kinds()).toEqual(['submitted', 'mined'])
    await proxy.stop()
  })

  test('is left out where it would take more gas than a transaction may ask for', async () => {
    const relayer = await fundedKey(chain)
    const { submitter, host } = await withList(relayer.key, { transactionGasCap: 104_000n })
    const bundle = order(relayer.address)
    await submitter.submit(bundle)
    expect(signedIn({ host }, bundle.bundleId)[0]).toMatchObject({ gas: bundle.gasLimit })
  })

  test('is left out by chains with one gas price', async () => {
    const relayer = await fundedKey(chain)
    const { submitter, host } = await withList(relayer.key)
    const bundle = order(relayer.address, { fees: { ...fees, legacy: true } })
    await submitter.submit(bundle)
    expect(signedIn({ host }, bundle.bundleId)[0]).toMatchObject({ type: 'legacy', gas: bundle.gasLimit })
  })
})

describe('a service', () => {
  const authKey: Hex = `0x${'0a'.repeat(32)}`
  let proxy: FaultyProxy
  let accounts: TestAccount[]
  const services: RunningService[] = []

  beforeAll(async () => {
    await rpc(chain.url, 'evm_setAutomine', [true])
    accounts = await fleet(chain, '0.7', 10)
    proxy = startFaultyProxy(chain.url)
  })
  beforeEach(() => {
    proxy.calls.clear()
    proxy.refuse([])
  })
  afterEach(async () => {
    for (const service of services.splice(0)) await service.stop()
  })
  afterAll(() => proxy.stop())

  async function start(flags: readonly string[], directory?: string): Promise<RunningService> {
    const given = {
      nodeUrl: proxy.url,
      relayerKeys: [anvilKeys[2]],
      flags: ['--poll-interval', '20', ...flags],
    }
    const service = await startService(directory === undefined ? given : { ...given, directory })
    services.push(service)
    return service
  }

  function account(): TestAccount {
    const next = accounts.pop()
    if (next === undefined) throw new Error('no account is left')
    return next
  }

  /** Sends an operation of a new account; `states` follows it. */
  async function sendOne(url: string) {
    const sender = account()
    const states = await watchStates(url, [sender.address])
    const hash = await send(url, await operation(chain, sender))
    return { sender, states, hash }
  }

  async function includedIn(url: string, hash: Hash) {
    const { receipt } = await call<WireReceipt>(url, 'eth_getUserOperationReceipt', hash)
    return rpc<{ accessList?: unknown[]; gas: Hex }>(chain.url, 'eth_getTransactionByHash', [
      receipt.transactionHash,
    ])
  }

  const configOf = (url: string) => call<Record<string, unknown>>(url, 'bundler_config')
  const toRelay = () => ['--rpc-endpoint-submit', relay.url]

  test('relayingMode: bundles go to the relay, signed by relayAuthKey, and to no node', async () => {
    const { url } = await start(['--relaying-mode', 'flashbots', ...toRelay(), '--relay-auth-key', authKey])
    const { states, hash } = await sendOne(url)
    await states.all([hash], 'included')
    states.close()
    const [request] = relay.requests
    expect(request?.body.method).toBe('eth_sendBundle')
    expect(request?.headers['x-flashbots-signature']).toStartWith(`${privateKeyToAddress(authKey)}:0x`)
    expect(proxy.calls.get('eth_sendRawTransaction')).toBeUndefined()
    expect(await configOf(url)).toMatchObject({ relayingMode: 'flashbots', rpcEndpointSubmit: true })
  })

  test('rpcEndpointSubmit: bundles go there instead of to the nodes', async () => {
    const { url } = await start(toRelay())
    const { states, hash } = await sendOne(url)
    await states.all([hash], 'included')
    states.close()
    expect(relay.requests.map(({ body }) => body.method)).toEqual(['eth_sendRawTransaction'])
    expect(proxy.calls.get('eth_sendRawTransaction')).toBeUndefined()
    expect(await configOf(url)).toMatchObject({ relayingMode: 'classic', rpcEndpointSubmit: true })
  })

  test('conditionalTransactions: a bundle goes with what its validation reads', async () => {
    const { url } = await start(['--conditional-transactions', ...toRelay()])
    const { sender, states, hash } = await sendOne(url)
    await states.all([hash], 'included')
    states.close()
    const [request] = relay.requests
    expect(request?.body.method).toBe('eth_sendRawTransactionConditional')
    // SimpleAccount has its owner in slot 0, behind the proxy's implementation (ERC-1967).
    const [, conditions] = request?.body.params ?? []
    expect(conditions).toMatchObject({
      knownAccounts: {
        [sender.address.toLowerCase()]: { [pad('0x00')]: pad(sender.owner.address).toLowerCase() },
      },
    })
    expect(JSON.stringify(conditions)).not.toContain(entryPoints['0.7'].address.toLowerCase().slice(2))
    expect(await configOf(url)).toMatchObject({ conditionalTransactions: true })
  })

  test('eip2930: a bundle goes with an access list', async () => {
    const { url } = await start(['--eip2930'])
    const { states, hash } = await sendOne(url)
    await states.all([hash], 'included')
    states.close()
    expect((await includedIn(url, hash)).accessList).not.toEqual([])
    expect(await configOf(url)).toMatchObject({ eip2930: true })
  })

  test('relayFallbackBlocks: what the relay does not get included goes to the nodes; relayApiKey is the relay’s', async () => {
    relay.mode = 'refuses'
    const flags = [
      '--relaying-mode',
      'kolibri',
      ...toRelay(),
      '--relay-api-key',
      'k1',
      '--relay-fallback-blocks',
      '1',
    ]
    const { url } = await start(flags)
    const { states, hash } = await sendOne(url)
    await states.all([hash], 'submitted')
    expect(relay.requests[0]?.headers['x-api-key']).toBe('k1')
    expect(proxy.calls.get('eth_sendRawTransaction')).toBeUndefined()
    await rpc(chain.url, 'evm_mine')
    await states.all([hash], 'included')
    states.close()
    expect(proxy.calls.get('eth_sendRawTransaction')).toBe(1)
  })

  test('kill -9 while a relay has a bundle: it is sent again through the relay, and paid for once', async () => {
    relay.mode = 'forgets'
    const flags = ['--relaying-mode', 'merkle', ...toRelay()]
    const first = await start(flags)
    const nonce = await nonceOf(chain, privateKeyToAddress(anvilKeys[2]))
    const { states, hash } = await sendOne(first.url)
    await states.all([hash], 'submitted')
    states.close()
    await first.kill('SIGKILL')
    services.length = 0

    relay.mode = 'includes'
    const again = await start(flags, first.directory)
    const { receipt } = await untilIncluded(again.url, hash)
    expect(new Set(relayed()).size).toBe(1)
    expect(receipt.status).toBe('0x1')
    expect(await nonceOf(chain, privateKeyToAddress(anvilKeys[2]))).toBe(nonce + 1)
    expect(proxy.calls.get('eth_sendRawTransaction')).toBeUndefined()
  })
})

/** Each request is a round trip: it ends when the new process has caught up. */
async function untilIncluded(url: string, hash: Hash): Promise<WireReceipt> {
  for (;;) {
    const receipt = await call<WireReceipt | null>(url, 'eth_getUserOperationReceipt', hash)
    if (receipt !== null) return receipt
  }
}

test.each(modes)('%s without the URL of a relay is a configuration error', async (mode) => {
  const directory = scratchDirectory()
  const args = ['serve', '--rpc-url', chain.url, '--relayer-keys', anvilKeys[2], '--relaying-mode', mode]
  const process = startTandem(args, directory)
  expect(await process.exited).not.toBe(0)
  expect(process.log() + process.output()).toContain(`relayingMode ${mode} needs rpcEndpointSubmit`)
  rmSync(directory, { recursive: true, force: true })
})
