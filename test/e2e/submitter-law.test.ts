import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Address, decodeFunctionData, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { entryPoints } from '../../src/types/entrypoint.ts'
import type { Relaying } from '../../src/types/ports/submitter.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { random as randomFrom } from '../support/random.ts'
import { type RelayMode, type RelayStub, startRelayStub } from '../support/relayStub.ts'
import { type Bench, fundedKey, nonceOf, order, startBench } from '../support/submitter.ts'

/**
 * The law of the submitter under everything at once: lost messages, a store that refuses, dropped transactions,
 * reorgs, crashes, relays that err and lie. The test plays the main thread: it bundles what is free and believes the events.
 */
const steps = 80
const seeds = [1, 2, 3, 4, 5, 6]
/** What a relay does besides including, at random; it answers at once, so that the steps stay quick. */
const relayModes: readonly RelayMode[] = [
  ...(['includes', 'includes', 'forgets', 'garbage', 'http-500'] as const),
  ...(['refuses', 'refuses-in-text', 'lies', 'wrong-hash'] as const),
]

type Way = Relaying['mode']
const ways: readonly { way: Way; fallbackBlocks: number | undefined }[] = [
  { way: 'classic', fallbackBlocks: undefined },
  { way: 'flashbots', fallbackBlocks: 2 },
  { way: 'merkle', fallbackBlocks: undefined },
  { way: 'kolibri', fallbackBlocks: 1 },
]

const abi = parseAbi(['function incrementNonce(uint192)'])
const entryPoint = entryPoints['0.7'].address

let chain: DevChain
let relay: RelayStub
beforeAll(async () => {
  chain = await startDevChain()
  await rpc(chain.url, 'evm_setAutomine', [false])
  relay = startRelayStub(chain.url)
})
afterAll(async () => {
  await relay.stop()
  await chain.stop()
})

function relayingOf(way: Way, fallbackBlocks: number | undefined): Relaying {
  const at = { url: relay.url, fallbackBlocks }
  switch (way) {
    case 'classic':
      return { mode: way, submitUrl: undefined, conditional: false }
    case 'flashbots':
      return { mode: way, ...at, authKey: undefined }
    case 'merkle':
      return { mode: way, ...at }
    case 'kolibri':
      return { mode: way, ...at, apiKey: undefined }
  }
}

type Transaction = { from: Address; to: Address | null; input: Hex; nonce: Hex }

/** Operations in the calldata of every transaction that these relayers have on chain. */
async function minedOperations(relayers: readonly Address[]): Promise<bigint[]> {
  const senders = new Set(relayers.map((address) => address.toLowerCase()))
  const height = Number(await rpc<Hex>(chain.url, 'eth_blockNumber'))
  const blocks = await Promise.all(
    Array.from({ length: height + 1 }, (_, number) =>
      rpc<{ transactions: Transaction[] }>(chain.url, 'eth_getBlockByNumber', [
        `0x${number.toString(16)}`,
        true,
      ]),
    ),
  )
  return blocks
    .flatMap(({ transactions }) => transactions)
    .filter(({ from, input }) => senders.has(from) && input !== '0x')
    .map(({ input }) => decodeFunctionData({ abi, data: input }).args[0])
}

const runs = ways.flatMap(({ way, fallbackBlocks }) =>
  (way === 'classic' ? seeds : seeds.slice(0, 3)).map((seed) => ({ way, fallbackBlocks, seed })),
)
for (const { way, fallbackBlocks, seed } of runs) {
  const after = fallbackBlocks === undefined ? '' : ` with a fallback after ${fallbackBlocks}`
  test(`no operation is lost or paid for twice (${way}${after}, seed ${seed})`, async () => {
    relay.mode = 'includes'
    const relaying = relayingOf(way, fallbackBlocks)
    const random = randomFrom(seed)
    const pick = <T>(choices: readonly T[]) => choices[random.int(choices.length)] as T
    const relayers = [await fundedKey(chain), await fundedKey(chain)]
    // Their funding must lie deeper than any reorg.
    await rpc(chain.url, 'anvil_mine', ['0x4'])
    const keys = relayers.map(({ key }) => key)
    const free = new Set<bigint>()
    const bundles = new Map<string, bigint>()
    const boundTo = new Map<bigint, string>()
    let made = 0n
    let heard = 0
    let bench: Bench = await startBench(chain, keys, { relaying })

    function listen(): void {
      for (const event of bench.host.events.slice(heard)) {
        const operation = bundles.get(event.bundleId)
        // What is in another bundle by now stays there; a start tells of earlier ones again.
        if (
          event.kind === 'abandoned' &&
          operation !== undefined &&
          boundTo.get(operation) === event.bundleId
        )
          free.add(operation)
      }
      heard = bench.host.events.length
    }

    async function submit(): Promise<void> {
      const idle = bench.host.relayers.filter(({ state }) => state === 'idle')
      if (idle.length === 0) return
      const operation = [...free][0] ?? BigInt(seed) * 1000n + made++
      free.delete(operation)
      const data = encodeFunctionData({ abi, functionName: 'incrementNonce', args: [operation] })
      const bundle = order(pick(idle).address, { data, to: entryPoint })
      bundles.set(bundle.bundleId, operation)
      boundTo.set(operation, bundle.bundleId)
      await bench.submitter.submit(bundle).catch(() => free.add(operation))
    }

    async function crash(): Promise<void> {
      await bench.submitter.stop()
      const journal = [...bench.host.open.values()]
      bench = await startBench(chain, keys, { relaying, journal })
      heard = 0
    }

    const moves = [
      submit,
      submit,
      submit,
      () => bench.mine(),
      () => bench.mine(),
      () => bench.head(),
      async () => {
        await rpc(chain.url, 'anvil_dropAllTransactions')
        await bench.mine()
      },
      () => bench.reorg(1 + random.int(3)),
      crash,
      async () => {
        bench.faults.sending = pick(['none', 'lost', 'answer-lost'])
      },
      async () => {
        bench.host.refusing = random.chance(0.3)
      },
      async () => {
        relay.mode = pick(relayModes)
      },
    ]
    for (let step = 0; step < steps; step++) {
      await pick(moves)()
      listen()
    }

    relay.mode = 'includes'
    bench.faults.sending = 'none'
    bench.host.refusing = false
    for (let block = 0; block < 10; block++) await bench.mine()
    listen()
    for (let round = 0; free.size > 0 && round < steps; round++) {
      await submit()
      await bench.mine()
      listen()
    }
    for (let block = 0; block < 10; block++) await bench.mine()

    const mined = await minedOperations(relayers.map(({ address }) => address))
    expect(mined.toSorted()).toEqual([...new Set(bundles.values())].toSorted())
    expect([...bench.host.open.keys()]).toEqual([])
    for (const { address, nextNonce, state } of bench.host.relayers) {
      expect({ state, nextNonce }).toEqual({ state: 'idle', nextNonce: await nonceOf(chain, address) })
    }
    await bench.submitter.stop()
  })
}
