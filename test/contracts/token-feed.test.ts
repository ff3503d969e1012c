import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Hex, parseEther, zeroAddress } from 'viem'
import { encodeTokenData } from '../../src/contracts/paymaster/terms.ts'
import { entryPointVersions } from '../../src/types/entrypoint-version.ts'
import { execute, type TestAccount } from '../support/accounts.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import {
  handleOps,
  paidOperation,
  paymasterLogs,
  pennilessAccount,
  refusal,
  type TestPaymaster,
  testPaymaster,
} from '../support/paymasters.ts'
import { type TestContract, tokenMaker } from '../support/tokens.ts'

const hour = 3_600
const day = 86_400

let chain: DevChain
let make: Awaited<ReturnType<typeof tokenMaker>>
/** Of USD 2 and six decimals. */
let token: TestContract
let tokenFeed: TestContract
/** Of USD 3000.5, to eight decimals. */
let nativeFeed: TestContract
let now: number

beforeAll(async () => {
  chain = await startDevChain()
  make = await tokenMaker(chain)
  token = await make('PlainToken', 6)
  tokenFeed = await make('TestFeed', 18)
  nativeFeed = await make('TestFeed', 8)
})
afterAll(() => chain.stop())

beforeEach(async () => {
  const { timestamp } = await rpc<{ timestamp: string }>(chain.url, 'eth_getBlockByNumber', ['latest', false])
  now = Number(timestamp)
  await nativeFeed.write('set', [300_050_000_000n, BigInt(now)])
  await tokenFeed.write('set', [parseEther('2'), BigInt(now)])
})

describe.each([...entryPointVersions])('the token paymaster of %s, with feeds', (version) => {
  let paymaster: TestPaymaster
  let account: TestAccount
  beforeAll(async () => {
    paymaster = await testPaymaster(chain, 'token', version)
    await paymaster.write('setNativeFeed', [nativeFeed.address, hour])
    await paymaster.write('setTokenFeed', [token.address, tokenFeed.address, day])
    account = await pennilessAccount(chain, version)
    await token.write('mint', [account.address, 10n ** 12n])
  })

  /** Six decimals at USD 2 for a coin of USD 3000.5. */
  const rate = 1_500_250_000n
  const terms = (changes: { validUntil?: number; exchangeRate?: bigint; priceMarkup?: number } = {}): Hex =>
    encodeTokenData({
      ...{ validUntil: 0, validAfter: 0, price: 'feed', token: token.address },
      ...{ exchangeRate: rate, priceMarkup: 1_000_000, ...changes },
    })
  const operation = (data = terms()) => {
    const approval = token.call('approve', [paymaster.address, 10n ** 12n])
    return paidOperation(chain, account, paymaster, data, { callData: execute(token.address, 0n, approval) })
  }

  test('charges by the feeds’ price, with the mark-up', async () => {
    const handled = await handleOps(chain, [await operation(terms({ priceMarkup: 1_200_000 }))])
    const [event] = paymasterLogs(paymaster, handled)
    expect(event?.tokenPerNative).toBe((rate * 12n) / 10n)
    const { actualGasCost = 0n } = handled.operations[0] ?? {}
    expect(event?.tokenAmount as bigint).toBeGreaterThanOrEqual((actualGasCost * rate * 12n) / 10n ** 19n)
    expect(await paymaster.read<bigint>('feedRate', [token.address])).toEqual([rate, now + hour] as never)
  })

  test('not above the rate that was agreed', async () => {
    expect(await refusal(chain, [await operation(terms({ exchangeRate: rate - 1n }))])).toBe(
      "AA33 reverted: feed's price above what was agreed",
    )
  })

  test('not by a price that is zero, negative or of no round', async () => {
    for (const [feed, answer, updatedAt] of [
      [nativeFeed, 0n, now],
      [nativeFeed, -1n, now],
      [tokenFeed, -(2n ** 255n), now],
      [tokenFeed, 1n, 0],
    ] as const) {
      await feed.write('set', [answer, BigInt(updatedAt)])
      expect(await refusal(chain, [await operation()])).toBe('AA33 reverted: feed has no price')
      await feed.write('set', [parseEther('2'), BigInt(now)])
    }
  })

  test('not by a price that is too old: of either feed, by its own age', async () => {
    const old = 'AA32 paymaster expired or not due'
    await nativeFeed.write('set', [300_050_000_000n, BigInt(now - hour - 1)])
    expect(await refusal(chain, [await operation()])).toBe(old)
    await nativeFeed.write('set', [300_050_000_000n, BigInt(now)])
    await tokenFeed.write('set', [parseEther('2'), BigInt(now - day - 1)])
    expect(await refusal(chain, [await operation()])).toBe(old)
    await tokenFeed.write('set', [parseEther('2'), BigInt(now - day + hour)])
    expect(await refusal(chain, [await operation()])).toBeUndefined()
  })

  test('not after the time that was signed, fresh as the price may be', async () => {
    expect(await refusal(chain, [await operation(terms({ validUntil: now - 1 }))])).toBe(
      'AA32 paymaster expired or not due',
    )
    expect(await refusal(chain, [await operation(terms({ validUntil: now + 600 }))])).toBeUndefined()
  })

  test('not for a token without a feed, or whose feed was removed', async () => {
    const plain = await paidOperation(
      chain,
      account,
      paymaster,
      encodeTokenData({
        ...{ validUntil: 0, validAfter: 0, price: 'feed', token: nativeFeed.address },
        ...{ exchangeRate: rate, priceMarkup: 1_000_000 },
      }),
    )
    expect(await refusal(chain, [plain])).toBe('AA33 reverted: no feed')
    await paymaster.write('removeTokenFeed', [token.address])
    expect(await refusal(chain, [await operation()])).toBe('AA33 reverted: no feed')
    expect((await paymaster.read<unknown[]>('tokenFeed', [token.address]))[0]).toBe(zeroAddress)
    await paymaster.write('setTokenFeed', [token.address, tokenFeed.address, day])
  })
})
