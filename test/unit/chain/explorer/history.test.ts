import { describe, expect, test } from 'bun:test'
import { encodeAbiParameters, getAddress, type Hash, padHex } from 'viem'
import { type Json, Unavailable } from '../../../../src/base/errors.ts'
import { createLog } from '../../../../src/base/log.ts'
import { userOperationEventTopic } from '../../../../src/chain/events.ts'
import type { ExplorerCall } from '../../../../src/chain/explorer/client.ts'
import { createExplorerHistory } from '../../../../src/chain/explorer/history.ts'
import { entryPoints } from '../../../../src/types/entrypoint.ts'
import type { RawReceipt } from '../../../../src/types/ports/store.ts'
import { address, hash } from '../../../support/builders.ts'
import { fakeNode } from '../../../support/fakeBundler.ts'

const [newer, older] = [entryPoints['0.8'].address, entryPoints['0.7'].address]
const asked = hash(0x0b)
const transactionHash = hash(0x7a)

/** A receipt with the event of `operation`. */
function receiptWith(operation: Hash, emitter = older): RawReceipt {
  const topics = [userOperationEventTopic, operation, padHex(address(1)), padHex(address(0))]
  const types = [{ type: 'uint256' }, { type: 'bool' }, { type: 'uint256' }, { type: 'uint256' }] as const
  const data = encodeAbiParameters(types, [7n, true, 30n, 10n])
  const log = { address: emitter.toLowerCase() as typeof emitter, topics, data, logIndex: '0x2' as const }
  return { transactionHash, blockHash: hash(3), blockNumber: '0x3', logs: [log] }
}

const event = {
  ...{ chainId: 1337, entryPoint: getAddress(older), hash: asked, sender: address(1), paymaster: undefined },
  ...{ nonce: 7n, success: true, actualGasCost: 30n, actualGasUsed: 10n, transactionHash },
  ...{ block: { number: 3, hash: hash(3) }, logIndex: 2 },
}

function historyOf(answer: (call: ExplorerCall) => Json, receipt: RawReceipt | null = receiptWith(asked)) {
  const calls: ExplorerCall[] = []
  const clock = { now: 0 }
  const history = createExplorerHistory(
    { entryPoints: [newer, older], now: () => clock.now },
    {
      log: createLog({ level: 'silent' }),
      explorer: {
        async ask(call) {
          calls.push(call)
          return answer(call)
        },
        close: () => {},
      },
      node: fakeNode({ request: async <Result>() => receipt as Result }),
    },
  )
  const find = () => history({ hash: asked, before: 99 })
  return { find, calls, clock }
}

const found = (call: ExplorerCall): Json => (call.address === older ? [{ transactionHash }] : [])

test('an old operation is found by its EntryPoint and hash, and told as the node has it', async () => {
  const { find, calls } = historyOf(found)
  expect(await find()).toEqual(event)
  expect(calls).toEqual(
    [newer, older].map((entryPoint) => ({
      ...{ module: 'logs', action: 'getLogs', address: entryPoint, fromBlock: '0', toBlock: '99' },
      ...{ topic0: userOperationEventTopic, topic0_1_opr: 'and', topic1: asked, page: '1', offset: '5' },
    })),
  )
})

describe('nothing is found', () => {
  test('where the explorer names a transaction without the event', async () => {
    expect(await historyOf(found, receiptWith(hash(0x0c))).find()).toBeUndefined()
  })

  test('where the event is not the EntryPoint’s own', async () => {
    expect(await historyOf(found, receiptWith(asked, address(0x66))).find()).toBeUndefined()
  })

  test('where the node knows no such transaction', async () => {
    expect(await historyOf(found, null).find()).toBeUndefined()
  })

  test.each(['no list', [null], [{ transactionHash: 'x' }], [{}]] as Json[])(
    'in an answer of another shape: %j',
    async (records) => {
      expect(await historyOf(() => records).find()).toBeUndefined()
    },
  )
})

test('an operation that it does not know is not asked about again for a while', async () => {
  const { find, calls, clock } = historyOf(() => [])
  await find()
  await find()
  expect(calls).toHaveLength(2)
  clock.now = 30_000
  await find()
  expect(calls).toHaveLength(4)
})

test('an explorer that could not tell is asked again', async () => {
  let up = false
  const { find } = historyOf((call) => {
    if (!up) throw new Unavailable('rate limit')
    return found(call)
  })
  expect(await find()).toBeUndefined()
  up = true
  expect(await find()).toEqual(event)
})
