import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createLog } from '../../../../src/base/log.ts'
import { createMetrics } from '../../../../src/base/metrics.ts'
import { createExplorerClient, type ExplorerClient } from '../../../../src/chain/explorer/client.ts'
import { type ExplorerStub, startExplorerStub } from '../../../support/explorerStub.ts'
import { silentContext } from '../../../support/simulation.ts'

const key = 'TOPSECRETKEY'
const gasOracle = { module: 'gastracker', action: 'gasoracle' }

let stub: ExplorerStub
let explorer: ExplorerClient
let time: number
let logged: string[]

beforeEach(() => {
  stub = startExplorerStub()
  time = 0
  logged = []
  const log = createLog({ level: 'debug', write: (line) => logged.push(line) })
  explorer = createExplorerClient(
    { url: stub.url, key, chainId: 5, now: () => time },
    { log, metrics: createMetrics() },
  )
})

afterEach(async () => {
  explorer.close()
  await stub.stop()
})

const failure = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'it answered',
    (error) => JSON.stringify({ ...error, stack: error.stack }),
  )

test('a question names the chain, and the key in the query', async () => {
  expect(await explorer.ask(gasOracle)).toMatchObject({ ProposeGasPrice: '1' })
  expect(stub.queries).toEqual([{ chainid: '5', ...gasOracle, apikey: key }])
})

test('an explorer that wants no key is given none', async () => {
  const open = createExplorerClient(
    { url: stub.url, key: undefined, chainId: 5, now: () => time },
    silentContext(),
  )
  await open.ask(gasOracle)
  expect(stub.queries).toEqual([{ chainid: '5', ...gasOracle }])
})

test('a list without records is an answer', async () => {
  expect(await explorer.ask({ module: 'logs', action: 'getLogs' })).toEqual([])
})

describe.each(['garbage', 'unavailable', 'rate-limited', 'key-refused'] as const)(
  'an explorer that is %s',
  (mode) => {
    beforeEach(() => {
      stub.mode = mode
    })

    test('fails, and is left alone for a while', async () => {
      await failure(explorer.ask(gasOracle))
      stub.mode = 'right'
      await failure(explorer.ask(gasOracle))
      expect(stub.queries).toHaveLength(1)
      time = 1000
      expect(await explorer.ask(gasOracle)).toMatchObject({ ProposeGasPrice: '1' })
    })

    test('is left alone twice as long each time', async () => {
      await failure(explorer.ask(gasOracle))
      time = 1000
      await failure(explorer.ask(gasOracle))
      time = 2999
      await failure(explorer.ask(gasOracle))
      expect(stub.queries).toHaveLength(2)
      time = 3000
      await failure(explorer.ask(gasOracle))
      expect(stub.queries).toHaveLength(3)
    })

    test('lets the key out in neither error nor log', async () => {
      const text = await failure(explorer.ask(gasOracle))
      expect(logged).toHaveLength(1)
      expect(text + logged.join()).not.toContain(key)
    })
  },
)

test('an explorer that cannot be reached fails without its key', async () => {
  await stub.stop()
  const text = await failure(explorer.ask(gasOracle))
  expect(text + logged.join()).toContain('127.0.0.1')
  expect(text + logged.join()).not.toContain(key)
})

test('closing ends the wait for a late one, and nothing is complained about', async () => {
  stub.mode = 'late'
  const arrived = stub.nextQuery()
  const answer = failure(explorer.ask(gasOracle))
  await arrived
  explorer.close()
  expect(await answer).toContain('Unavailable')
  expect(logged).toEqual([])
})

test('more questions than can wait are refused at once', async () => {
  stub.mode = 'late'
  const asked = Array.from({ length: 9 }, () => failure(explorer.ask(gasOracle)))
  expect(await failure(explorer.ask(gasOracle))).toContain('limit exceeded')
  explorer.close()
  await Promise.all(asked)
})
