import { expect, test } from 'bun:test'
import { Unavailable } from '../../../src/base/errors.ts'
import { LogsUnknown } from '../../../src/chain/logs.ts'
import type { EventQuery } from '../../../src/chain/scan.ts'
import { createPayments, indexedPayments } from '../../../src/service/paymaster/payments.ts'
import { entryPoints } from '../../../src/types/entrypoint.ts'
import type { IndexedEvent } from '../../../src/types/ports/store.ts'
import { event } from '../../store/builders.ts'
import { silentContext } from '../../support/simulation.ts'

const served = { chainId: 1, entryPoints: [entryPoints['0.6'].address, entryPoints['0.7'].address] }
const one = event({ logIndex: 1 })
const two = event({ logIndex: 2 })

function payments({
  isIndexed = async () => false,
  scan = async () => [],
}: {
  isIndexed?: (from: number, to: number) => Promise<boolean>
  scan?: (query: EventQuery) => Promise<IndexedEvent[]>
}) {
  const asked: string[] = []
  const read = createPayments(served, {
    ...silentContext(),
    isIndexed,
    async indexed(from, to) {
      asked.push(`index ${from}-${to}`)
      return [one]
    },
    scan(query) {
      asked.push(`logs ${query.from}-${query.to}`)
      return scan(query)
    },
  })
  return { read, asked }
}

test('what the index has is read from it', async () => {
  const { read, asked } = payments({ isIndexed: async () => true })
  expect(await read(5, 7)).toEqual([one])
  expect(asked).toEqual(['index 5-7'])
})

test('after a long absence the older blocks come from logs, a thousand at a time', async () => {
  const { read, asked } = payments({ isIndexed: async (from) => from > 2000, scan: async () => [two] })
  expect(await read(1, 2500)).toEqual([two, two, one])
  expect(asked).toEqual(['logs 1-1000', 'logs 1001-2000', 'index 2001-2500'])
})

test('no blocks are none', async () => {
  const { read, asked } = payments({})
  expect(await read(8, 7)).toEqual([])
  expect(asked).toEqual([])
})

test('old blocks whose logs no node has are passed over, new ones are waited for', async () => {
  const unknown = new LogsUnknown('header not found')
  const { read } = payments({
    async scan({ from }) {
      if (from === 1) throw unknown
      return [two]
    },
  })
  expect(await read(1, 1500)).toEqual([two])
  expect(await read(1, 10).catch((error) => error)).toBe(unknown)
})

test('a node in trouble is no end of history', async () => {
  const trouble = new Unavailable('busy')
  const { read } = payments({ scan: () => Promise.reject(trouble) })
  expect(await read(1, 5000).catch((error) => error)).toBe(trouble)
})

test('the index is asked for each EntryPoint', async () => {
  const asked: object[] = []
  const store = {
    async eventsBetween(query: object) {
      asked.push(query)
      return asked.length === 1 ? [one] : [two]
    },
  }
  expect(await indexedPayments(served, { store })(3, 4)).toEqual([one, two])
  expect(asked).toEqual(served.entryPoints.map((entryPoint) => ({ chainId: 1, entryPoint, from: 3, to: 4 })))
})
