import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Address, createWalletClient, type Hash, type Hex, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type Json, Unavailable } from '../../../src/base/errors.ts'
import { isCanonical, LogsPruned, readEvents, readReceipts } from '../../../src/chain/events.ts'
import { NodeError } from '../../../src/chain/node-error.ts'
import { logsOfOperation, revertBytes } from '../../../src/chain/operation-logs.ts'
import { createEventScan } from '../../../src/chain/scan.ts'
import { anvilKeys } from '../../../src/dev/anvil.ts'
import type { BlockRef } from '../../../src/types/block.ts'
import { encodeHandleOps, entryPoints, userOperationHash } from '../../../src/types/entrypoint.ts'
import { entryPointVersions } from '../../../src/types/entrypoint-version.ts'
import type { NodeClient } from '../../../src/types/ports/chain.ts'
import type { IndexedEvent, RawReceipt } from '../../../src/types/ports/store.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import { execute, fund, signedOperation, simpleAccount } from '../../support/accounts.ts'
import { type DevChain, rpc, startDevChain } from '../../support/devChain.ts'
import { latestBlock, nodeOf } from '../../support/simulation.ts'

/** Emits one log with the topic 0x…2a, then returns. */
const emitter: Address = '0x00000000000000000000000000000000000000e1'
/** Reverts with the byte 0xab. */
const reverter: Address = '0x00000000000000000000000000000000000000e2'
const addresses = entryPointVersions.map((version) => entryPoints[version].address)

let chain: DevChain
let client: NodeClient

beforeAll(async () => {
  chain = await startDevChain()
  client = nodeOf(chain)
  await rpc(chain.url, 'anvil_setCode', [emitter, '0x602a60006000a1'])
  await rpc(chain.url, 'anvil_setCode', [reverter, '0x60ab60005360016000fd'])
})
afterAll(async () => {
  await client.close()
  await chain.stop()
})

/** A bundle in a block: three deployed accounts, of which the second one's call reverts. */
async function bundled(version: UserOperation['version']): Promise<{
  operations: UserOperation[]
  block: BlockRef
  events: IndexedEvent[]
  receipt: RawReceipt
}> {
  const operations = await Promise.all(
    [emitter, reverter, emitter].map(async (target) => {
      const account = await simpleAccount(chain, version)
      await fund(chain, account.address)
      return signedOperation(chain, account, { callData: execute(target) })
    }),
  )
  const account = privateKeyToAccount(anvilKeys[0])
  const wallet = createWalletClient({ account, transport: http(chain.url), pollingInterval: 20 }).extend(
    publicActions,
  )
  const hash = await wallet.sendTransaction({
    chain: null,
    to: entryPoints[version].address,
    data: encodeHandleOps(version, operations, account.address),
    gas: 10_000_000n,
  })
  const { blockHash, blockNumber } = await wallet.waitForTransactionReceipt({ hash })
  const block = { number: Number(blockNumber), hash: blockHash }
  const events = await readEvents({ block, newest: block.number, entryPoints: addresses }, client)
  const [receipt] = await readReceipts([hash], client)
  if (receipt === undefined) throw new Error('no receipt')
  return { operations, block, events, receipt }
}

for (const version of entryPointVersions) {
  test(`the events of a block, EntryPoint ${version}`, async () => {
    const { operations, block, events, receipt } = await bundled(version)
    expect(
      events.map(({ actualGasCost: _cost, actualGasUsed: _used, logIndex: _index, ...event }) => event),
    ).toEqual(
      operations.map((op, index) => ({
        chainId: chain.chainId,
        entryPoint: entryPoints[version].address,
        hash: userOperationHash(op, chain.chainId),
        sender: op.sender,
        paymaster: undefined,
        nonce: 0n,
        success: index !== 1,
        transactionHash: receipt.transactionHash,
        block,
      })),
    )
    for (const event of events) {
      expect(event.actualGasUsed).toBeGreaterThan(50_000n)
      expect(event.actualGasCost).toBeGreaterThan(event.actualGasUsed)
    }
  })

  test(`the logs of each operation are its own, EntryPoint ${version}`, async () => {
    const { events, receipt } = await bundled(version)
    const names = events.map((event) =>
      logsOfOperation(receipt, event).map(({ address, topics }) =>
        address === emitter
          ? `emitter ${Number(topics[0])}`
          : topics[0] === userOperationEvent
            ? `event ${topics[1]}`
            : 'reason',
      ),
    )
    expect(names).toEqual([
      ['emitter 42', `event ${events[0]?.hash}`],
      ['reason', `event ${events[1]?.hash}`],
      ['emitter 42', `event ${events[2]?.hash}`],
    ])
  })

  test(`the revert of an operation, EntryPoint ${version}`, async () => {
    const { events, receipt } = await bundled(version)
    expect(events.map((event) => revertBytes(receipt, event))).toEqual([undefined, '0xab', undefined])
  })
}

const userOperationEvent: Hex = '0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f'
const nowhere: Hash = `0x${'11'.repeat(32)}`

test('one operation is found in a range of blocks', async () => {
  const { events } = await bundled('0.7')
  const wanted = events[1] as IndexedEvent
  const scan = createEventScan(client)
  const range = { from: 0, to: (await latestBlock(chain)).number, entryPoints: addresses }
  expect(await scan({ ...range, hash: wanted.hash })).toEqual([wanted])
  expect(await scan({ ...range, hash: nowhere })).toEqual([])
  expect((await scan(range)).slice(-3)).toEqual(events)
})

test('a block that the node does not know is no empty block', async () => {
  const query = { block: { number: 1, hash: nowhere }, entryPoints: addresses }
  await expect(readEvents({ ...query, newest: 100 }, client)).rejects.toBeInstanceOf(Unavailable)
  await expect(readEvents({ ...query, newest: 100 }, client)).rejects.not.toBeInstanceOf(LogsPruned)
})

test('a receipt that the node does not have is asked for later', async () => {
  await expect(readReceipts([nowhere], client)).rejects.toBeInstanceOf(Unavailable)
})

test('a block is canonical until a reorg', async () => {
  await rpc(chain.url, 'anvil_mine', [2])
  const block = await latestBlock(chain)
  expect(await isCanonical(block, client)).toBe(true)
  await rpc(chain.url, 'anvil_reorg', [1, []])
  expect(await isCanonical(block, client)).toBe(false)
})

test('a node that has not got as far as a block cannot tell whether it is canonical', async () => {
  const { number } = await latestBlock(chain)
  await expect(isCanonical({ number: number + 1, hash: nowhere }, client)).rejects.toBeInstanceOf(Unavailable)
})

test('logs that no node has any more are told from those that no node has yet', async () => {
  const pruned = answering(new NodeError(4444, 'pruned history unavailable'))
  const query = { block: { number: 1, hash: nowhere }, entryPoints: addresses }
  await expect(readEvents({ ...query, newest: 129 }, pruned)).rejects.toBeInstanceOf(LogsPruned)
  await expect(readEvents({ ...query, newest: 128 }, pruned)).rejects.not.toBeInstanceOf(LogsPruned)
})

test('logs of another block than the one asked for are nobody’s', async () => {
  const { block, events } = await bundled('0.7')
  const [log] = await rpc<Json[]>(chain.url, 'eth_getLogs', [
    { blockHash: block.hash, topics: [userOperationEvent] },
  ])
  expect(events).toHaveLength(3)
  const query = { block: { number: 1, hash: nowhere }, newest: 1, entryPoints: addresses }
  await expect(readEvents(query, answering([log ?? null]))).rejects.toBeInstanceOf(Unavailable)
})

function answering(answer: NodeError | Json): NodeClient {
  const request = (async () => {
    if (answer instanceof NodeError) throw answer
    return answer
  }) as NodeClient['request']
  return { ...client, request }
}
