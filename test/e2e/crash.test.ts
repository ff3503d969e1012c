import { afterEach, beforeEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { type Address, type Hash, type Hex, numberToHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { decodeHandleOps } from '../../src/types/entrypoint.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import type { TestAccount } from '../support/accounts.ts'
import { call, send, type WireStatus, watchStates } from '../support/client.ts'
import { databaseKinds, startDatabase } from '../support/database.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { fleet, operation } from '../support/fleet.ts'
import { random } from '../support/random.ts'
import { type RunningService, scratchDirectory, startService } from '../support/service.ts'

const crashes = 10
/** Operations sent at once before each crash, and the most that are acknowledged before it comes. */
const burst = 20
const relayerKeys = [anvilKeys[1], anvilKeys[2]]
const relayers: readonly Address[] = relayerKeys.map((key) => privateKeyToAddress(key))

let chain: DevChain
let accounts: TestAccount[]
/** Blocks up to this one hold what the test is built on, and no reorg takes them. */
let ground: number

beforeEach(async () => {
  chain = await startDevChain()
  accounts = await fleet(chain, '0.7', crashes * burst)
  ground = await headNumber()
  await rpc(chain.url, 'evm_setIntervalMining', [1])
})

afterEach(() => chain?.stop())

const headNumber = async () => Number(await rpc<Hex>(chain.url, 'eth_blockNumber'))

/** When the crash comes: after so many acknowledgements, or when the first operation has got so far. */
type Moment = { acknowledged: number } | { reached: 'submitted' | 'included' }

/** Sends a few at a time, and kills the service at `moment`. Gives the operations that were acknowledged. */
async function crashUnderLoad(
  service: RunningService,
  ops: readonly UserOperation[],
  moment: Moment,
): Promise<Hash[]> {
  const watch = await watchStates(
    service.url,
    ops.map((op) => op.sender),
  )
  const acknowledged: Hash[] = []
  const { promise: enough, resolve } = Promise.withResolvers<void>()
  const waiting = [...ops]
  const client = async () => {
    for (let op = waiting.shift(); op !== undefined; op = waiting.shift()) {
      acknowledged.push(await send(service.url, op))
      if ('acknowledged' in moment && acknowledged.length === moment.acknowledged) resolve()
    }
  }
  const clients = Promise.allSettled(Array.from({ length: 4 }, client))
  await ('reached' in moment ? watch.some(moment.reached) : Promise.race([enough, clients]))
  await service.kill('SIGKILL')
  watch.close()
  await clients
  return acknowledged
}

const finalStates = ['included', 'dropped', 'expired', 'replaced']

/** Empty blocks take the place of the newest ones. */
async function reorg(depth: number): Promise<void> {
  const deepest = (await headNumber()) - ground
  if (deepest > 0) await rpc(chain.url, 'anvil_reorg', [Math.min(depth, deepest), []])
}

test.each(databaseKinds)(
  'ten crashes under load, and reorgs while it is down, lose nothing that was acknowledged, and pay for nothing twice, on a %s',
  async (kind) => {
    await using database = await startDatabase(kind)
    const directory = scratchDirectory()
    const start = () =>
      startService({ nodeUrl: chain.url, relayerKeys, directory, flags: ['--database', database.url] })
    const seed = Date.now() % 2 ** 31
    const { int } = random(seed)
    const acknowledged: Hash[] = []
    for (let crash = 0; crash < crashes; crash++) {
      const own = accounts.slice(crash * burst, (crash + 1) * burst)
      const ops = await Promise.all(own.map((account) => operation(chain, account)))
      const moments: readonly Moment[] = [
        { acknowledged: 1 + int(burst) },
        { acknowledged: 1 + int(burst) },
        { reached: 'submitted' },
        { reached: 'included' },
      ]
      const moment = moments[int(moments.length)] ?? { acknowledged: 1 }
      acknowledged.push(...(await crashUnderLoad(await start(), ops, moment)))
      if (int(2) === 0) await reorg(1 + int(3))
    }

    const service = await start()
    const watch = await watchStates(
      service.url,
      accounts.map((account) => account.address),
    )
    const statusOf = (hash: Hash) => call<WireStatus>(service.url, 'bundler_getUserOperationStatus', hash)
    const open = (await Promise.all(acknowledged.map(statusOf))).flatMap((status, index) =>
      finalStates.includes(status.status) ? [] : (acknowledged[index] ?? []),
    )
    await watch.all(open, ...finalStates)
    watch.close()

    for (const status of await Promise.all(acknowledged.map(statusOf))) {
      expect(finalStates, `seed ${seed}: ${JSON.stringify(status)}`).toContain(status.status)
      if (status.status !== 'included') expect(status.reason).toBeDefined()
    }
    await expectHonestChain()
    await service.kill('SIGTERM')
    rmSync(directory, { recursive: true })
  },
  240_000,
)

/** No bundle reverted, no operation is in two of them, no nonce of a relayer is left open. */
async function expectHonestChain(): Promise<void> {
  const head = await headNumber()
  const operations: string[] = []
  for (let number = 0; number <= head; number++) {
    const block = await rpc<{ transactions: { hash: Hash; from: Address; input: Hex }[] }>(
      chain.url,
      'eth_getBlockByNumber',
      [numberToHex(number), true],
    )
    for (const { hash, from, input } of block.transactions) {
      if (!relayers.some((relayer) => relayer.toLowerCase() === from.toLowerCase())) continue
      const receipt = await rpc<{ status: Hex }>(chain.url, 'eth_getTransactionReceipt', [hash])
      expect(receipt.status, `transaction ${hash}`).toBe('0x1')
      operations.push(...decodeHandleOps('0.7', input).map((op) => `${op.sender}:${op.nonce}`))
    }
  }
  expect(operations.length).toBe(new Set(operations).size)
  for (const relayer of relayers) {
    const [latest, pending] = await Promise.all(
      ['latest', 'pending'].map((tag) => rpc<Hex>(chain.url, 'eth_getTransactionCount', [relayer, tag])),
    )
    expect(pending).toBe(latest ?? '0x')
  }
}
