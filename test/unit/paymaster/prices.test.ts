import { afterAll, describe, expect, test } from 'bun:test'
import { encodeAbiParameters, type Hex } from 'viem'
import { describe as told } from '../../../src/base/errors.ts'
import { NodeError } from '../../../src/chain/node-error.ts'
import { cachedPrice } from '../../../src/paymaster/prices/cached.ts'
import { chainlinkPrice } from '../../../src/paymaster/prices/chainlink.ts'
import { httpPrice } from '../../../src/paymaster/prices/http.ts'
import type { PriceSource } from '../../../src/paymaster/prices/price-source.ts'
import type { NodeClient } from '../../../src/types/ports/chain.ts'
import { address } from '../../support/builders.ts'

const now = () => 10_000_000
const failure = (source: PriceSource): Promise<string> =>
  source().then(
    (price) => `priced ${price.usd}`,
    (error) => `${error.name}: ${told(error)}`,
  )

describe('a Chainlink feed', () => {
  const feed = (answer: { decimals?: number; price?: bigint; updatedAt?: bigint; fails?: Error }) => {
    const { decimals = 8, price = 2000n * 10n ** 8n, updatedAt = 9990n, fails } = answer
    const node = {
      async requestAt(_method: string, [{ data }]: [{ data: Hex }]): Promise<Hex> {
        if (fails !== undefined) throw fails
        if (data === '0x313ce567') return encodeAbiParameters([{ type: 'uint8' }], [decimals])
        const types = ['uint80', 'int256', 'uint256', 'uint256', 'uint80'].map((type) => ({ type }))
        return encodeAbiParameters(types, [1n, price, updatedAt, updatedAt, 1n])
      },
    } as unknown as NodeClient
    return chainlinkPrice({ feed: address(5), maxAge: 60 }, { node, now })
  }

  test('in its own digits', async () => {
    expect(await feed({})()).toEqual({ usd: 200_000_000_000n, at: 9990 })
    expect((await feed({ decimals: 18, price: 10n ** 18n })()).usd).toBe(100_000_000n)
    expect((await feed({ decimals: 2, price: 150n })()).usd).toBe(150_000_000n)
  })
  test('is believed until it is too old', async () => {
    expect((await feed({ updatedAt: 9940n })()).at).toBe(9940)
    expect(await failure(feed({ updatedAt: 9939n }))).toBe(
      `PriceUnavailable: price feed ${address(5)} is stale`,
    )
  })
  test.each([0n, -1n])('that answers %p has no price', async (price) => {
    expect(await failure(feed({ price }))).toBe(`PriceUnavailable: price feed ${address(5)} answers ${price}`)
  })
  test('that answers less than our unit has no price: nothing would cost anything', async () => {
    expect(await failure(feed({ decimals: 18, price: 10n ** 10n - 1n }))).toBe(
      `PriceUnavailable: price feed ${address(5)} answers less than can be told`,
    )
  })
  test('that cannot be read has no price', async () => {
    const fails = new NodeError(3, 'execution reverted')
    expect(await failure(feed({ fails }))).toBe(
      `PriceUnavailable: price feed ${address(5)}: execution reverted`,
    )
  })
})

describe('an HTTP endpoint', () => {
  let answer: () => Response = () => new Response('')
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => answer() })
  afterAll(() => server.stop(true))
  const url = `http://127.0.0.1:${server.port}/simple/price?key=topsecret`
  const source = httpPrice({ url, id: 'ethereum', maxAge: 60, timeoutMs: 5000 }, { now })
  const saying = (body: unknown) => {
    answer = () => Response.json(body)
  }

  test('with and without a time', async () => {
    saying({ ethereum: { usd: 1234.56, last_updated_at: 9950 } })
    expect(await source()).toEqual({ usd: 123_456_000_000n, at: 9950 })
    saying({ ethereum: { usd: 0.00000001 } })
    expect(await source()).toEqual({ usd: 1n, at: 10_000 })
  })
  test.each([
    [{ ethereum: { usd: 1, last_updated_at: 9939 } }, 'is stale'],
    [{ ethereum: { usd: 0 } }, ': the answer has none'],
    [{ ethereum: { usd: -5 } }, ': the answer has none'],
    [{ ethereum: { usd: '5' } }, ': the answer has none'],
    [{ bitcoin: { usd: 5 } }, ': the answer has none'],
    [null, ': the answer has none'],
  ])('%o is no price', async (body, why) => {
    saying(body)
    const text = await failure(source)
    expect(text).toStartWith('PriceUnavailable: price of ethereum at ')
    expect(text).toEndWith(why)
    expect(text).not.toContain('topsecret')
  })
  test('that fails has no price', async () => {
    answer = () => new Response('busy', { status: 503 })
    expect(await failure(source)).toEndWith(': HTTP 503')
    answer = () => new Response('<html>')
    expect(await failure(source)).not.toContain('priced')
  })
})

describe('a cached price', () => {
  test('is asked for once in ten seconds, and once by all who ask together', async () => {
    let time = 0
    let asked = 0
    const source = cachedPrice(
      async () => ({ usd: BigInt(++asked), at: 0 }),
      () => time,
    )
    expect((await Promise.all([source(), source(), source()])).map(({ usd }) => usd)).toEqual([1n, 1n, 1n])
    time = 9_999
    expect((await source()).usd).toBe(1n)
    time = 10_000
    expect((await source()).usd).toBe(2n)
  })
  test('that fails is asked again, and the old one is not given', async () => {
    let time = 0
    let fails = false
    const source = cachedPrice(
      async () => {
        if (fails) throw new Error('down')
        return { usd: 5n, at: 0 }
      },
      () => time,
    )
    await source()
    time = 10_000
    fails = true
    expect(await source().catch((error) => error.message)).toBe('down')
    fails = false
    expect((await source()).usd).toBe(5n)
  })
})
