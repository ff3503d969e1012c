import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Address, getAddress, type Hex, parseEther, size } from 'viem'
import { stubSignature } from '../../src/contracts/paymaster/terms.ts'
import { openDebtors } from '../../src/paymaster/sponsor/debtors.ts'
import { entryPointVersions } from '../../src/types/entrypoint-version.ts'
import type { PaymasterContext } from '../../src/types/paymaster/context.ts'
import type { SponsorRequest } from '../../src/types/ports/paymaster.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { requiredPrefund } from '../../src/types/userop-cost.ts'
import { execute, fund, type TestAccount } from '../support/accounts.ts'
import { address } from '../support/builders.ts'
import { transact } from '../support/bundles.ts'
import { rpc } from '../support/devChain.ts'
import { outcome } from '../support/outcome.ts'
import {
  type Handled,
  handleOps,
  paymasterLogs,
  pennilessAccount,
  refusal,
  type TestPaymaster,
} from '../support/paymasters.ts'
import { decodeTokenData } from '../support/paymasterTerms.ts'
import {
  coinPrice,
  type PaymasterWorld,
  paymasterWorld,
  priceMarkup,
  type TestTenant,
  tokenPrice,
  tokenRate,
} from '../support/paymasterWorld.ts'
import { silentContext } from '../support/simulation.ts'
import { balanceOf, executeBatch, tokenMaker } from '../support/tokens.ts'

const wealth = 1_000_000_000_000n

let world: PaymasterWorld
let tenant: TestTenant
beforeAll(async () => {
  world = await paymasterWorld()
  tenant = await world.tenant()
})
afterAll(() => world[Symbol.asyncDispose]())

const paidIn = (op: UserOperation, context?: PaymasterContext): SponsorRequest => ({
  ...{ caller: tenant.caller, op, useVp: false },
  context: context ?? { mode: 'commonerc20', token: world.token.address },
})

/** The operations of a bundle, as the index has them. */
const eventsOf = ({ operations, receipt: { transactionHash } }: Handled) =>
  operations.map((operation) => {
    const { userOpHash: hash, success, sender, paymaster } = operation
    return { hash, success, sender, paymaster, transactionHash }
  })

describe.each([...entryPointVersions])('a token, with %s', (version) => {
  let paymaster: TestPaymaster
  beforeAll(() => {
    paymaster = world.tokenPaymasters[version]
  })
  const approval = (amount = wealth): Hex => world.token.call('approve', [paymaster.address, amount])

  async function holder(amount = wealth): Promise<TestAccount> {
    const account = await pennilessAccount(world.chain, version)
    await world.token.write('mint', [account.address, amount])
    return account
  }
  /** What the token paymaster charged is what the operation has cost, with the markup, and arrived. */
  async function included(account: TestAccount, op: UserOperation): Promise<Handled> {
    const before = await balanceOf(world.token, paymaster.address)
    const handled = await handleOps(world.chain, [await world.signedBy(account, op)])
    const [event] = paymasterLogs(paymaster, handled)
    const charged = (await balanceOf(world.token, paymaster.address)) - before
    expect(event).toMatchObject({
      tokenAmount: charged,
      tokenPerNative: (tokenRate * BigInt(priceMarkup)) / 1_000_000n,
    })
    const cost = handled.operations[0]?.actualGasCost ?? 0n
    expect(charged).toBeGreaterThanOrEqual((cost * tokenRate * 11n) / 10n / 10n ** 18n)
    return handled
  }
  const reservedBy = async (act: () => Promise<unknown>): Promise<bigint> => {
    const key = { chainId: world.chain.chainId, paymaster: paymaster.address, sender: address(1), nonce: 0n }
    const before = world.books.ledger.promised(undefined, key)
    await act()
    return world.books.ledger.promised(undefined, key) - before
  }

  test.each(['commonerc20', 'multitoken', 'erc20'] as const)(
    'pays by %s, approved in the batch',
    async (mode) => {
      const token = world.token.address
      const context: PaymasterContext = mode === 'erc20' ? { mode, token: 'PLN' } : { mode, token }
      const account = await holder()
      const calls = [
        { target: world.token.address, data: approval() },
        { target: world.token.address, data: world.token.call('transfer', [address(77), 5n]) },
      ]
      const asked = await world.operation(account, { callData: executeBatch(version, calls) })
      let op = asked
      const reserved = await reservedBy(async () => {
        op = await world.paymaster.sponsorOperation(paidIn(asked, context))
      })
      expect(reserved).toBe(requiredPrefund(op))
      expect(op.paymaster).toBe(paymaster.address)
      expect(size(op.paymasterData)).toBe(258)
      const now = Math.floor(world.clock.now / 1000)
      expect(decodeTokenData(op.paymasterData)).toEqual({
        ...{ validAfter: now - 60, validUntil: now + 600, price: 'signed' },
        ...{ token: getAddress(world.token.address), exchangeRate: tokenRate, priceMarkup },
      })
      const { operations } = await included(account, op)
      expect(operations.map(({ success }) => success)).toEqual([true])
    },
  )

  test('pays with the limits of the stub, which holds nowhere and reserves nothing', async () => {
    const account = await holder()
    const callData = execute(world.token.address, 0n, approval())
    const op = await world.operation(account, { callData, verificationGasLimit: 300_000n })
    let stub: Partial<UserOperation> = {}
    const reserved = await reservedBy(async () => {
      stub = await world.paymaster.stub(paidIn(op))
    })
    expect(reserved).toBe(0n)
    expect(stub.paymasterData).toEndWith(stubSignature.slice(2))
    const stubbed = { ...op, ...stub }
    expect(await refusal(world.chain, [await world.signedBy(account, stubbed)])).toBe('AA34 signature error')
    const data = await world.paymaster.data(paidIn(stubbed))
    expect(size(data.paymasterData)).toBe(size(stub.paymasterData ?? '0x'))
    const { operations } = await included(account, { ...stubbed, ...data })
    expect(operations.map(({ success }) => success)).toEqual([true])
  })

  test('what has no gas limits at all gets the stub, which signs for nothing, as its data', async () => {
    const none = { callGasLimit: 0n, verificationGasLimit: 0n, preVerificationGas: 0n }
    const op = await world.operation(await holder(), none)
    const reserved = await reservedBy(async () => {
      expect(await world.paymaster.data(paidIn(op))).toEqual(await world.paymaster.stub(paidIn(op)))
    })
    expect(reserved).toBe(0n)
  })

  test('pays with an estimate of the stub', async () => {
    const account = await holder()
    const callData = execute(world.token.address, 0n, approval())
    const op = await world.operation(account, { callData })
    const stubbed = { ...op, ...(await world.paymaster.stub(paidIn(op))) }
    const estimated = { ...stubbed, ...(await world.estimate(stubbed, undefined)) }
    const data = await world.paymaster.data(paidIn(estimated))
    const { operations } = await included(account, { ...estimated, ...data })
    expect(operations.map(({ success }) => success)).toEqual([true])
  })

  const cannotPay = () =>
    `400 token_not_paid: Sender cannot pay: its PLN balance, or the allowance for ${paymaster.address}, is too low`

  test.each([
    ['has approved nothing', wealth, () => '0x'],
    ['has no tokens', 0n, () => execute(world.token.address, 0n, approval())],
    ['has approved too little', wealth, () => execute(world.token.address, 0n, approval(1n))],
    [
      'gives its tokens away in the calls that are paid for',
      wealth,
      () =>
        executeBatch(version, [
          { target: world.token.address, data: approval() },
          { target: world.token.address, data: world.token.call('transfer', [address(77), wealth]) },
        ]),
    ],
  ] as [string, bigint, () => Hex][])('is refused to a sender that %s', async (_, amount, callData) => {
    const account = await holder(amount)
    const asked = await world.operation(account, {
      callData: callData(),
      verificationGasLimit: 300_000n,
    })
    const reserved = await reservedBy(async () => {
      expect(await outcome(world.paymaster.data(paidIn(asked)))).toBe(cannotPay())
      expect(await outcome(world.paymaster.sponsorOperation(paidIn(asked)))).toBe(cannotPay())
    })
    expect(reserved).toBe(0n)
  })

  test('a sender that left an operation unpaid is refused from then on', async () => {
    const account = await holder()
    const callData = execute(world.token.address, 0n, approval())
    const op = await world.paymaster.sponsorOperation(paidIn(await world.operation(account, { callData })))
    await fund(world.chain, account.address)
    const theft = world.token.call('transfer', [address(77), wealth])
    await transact(world.chain, world.token.address, theft, { as: account.address })
    const handled = await handleOps(world.chain, [await world.signedBy(account, op)])
    expect(handled.operations.map(({ success }) => success)).toEqual([false])

    await world.token.write('mint', [account.address, wealth])
    const again = paidIn(await world.operation(account, { callData }))
    expect(await outcome(world.paymaster.stub(again))).toBe('fine')
    await world.debtors.look(eventsOf(handled))
    const refusal = '400 sender_left_unpaid: Sender has left an earlier operation unpaid'
    for (const call of ['sponsorOperation', 'stub', 'data'] as const)
      expect(await outcome(world.paymaster[call](again))).toBe(refusal)

    const { store, node, chain } = world
    const options = { chainId: chain.chainId, tokenPaymasters: [paymaster.address] }
    const later = await openDebtors(options, { ...silentContext(), store, node })
    expect(() => later.requireNone(account.address)).toThrow('Sender has left an earlier operation unpaid')
    const elsewhere = await openDebtors({ ...options, chainId: 5 }, { ...silentContext(), store, node })
    expect(elsewhere.requireNone(account.address)).toBeUndefined()
  })

  test('a sender whose calls reverted but that has paid is no debtor', async () => {
    const account = await holder()
    const approving = await world.operation(account, {
      callData: execute(world.token.address, 0n, approval()),
    })
    await included(account, await world.paymaster.sponsorOperation(paidIn(approving)))
    const callData = execute(
      world.token.address,
      0n,
      world.token.call('transfer', [address(77), 2n * wealth]),
    )
    const op = await world.operation(account, { callData, verificationGasLimit: 300_000n })
    const handled = await included(account, { ...op, ...(await world.paymaster.data(paidIn(op))) })
    expect(handled.operations.map(({ success }) => success)).toEqual([false])
    await world.debtors.look(eventsOf(handled))
    expect(await outcome(world.paymaster.stub(paidIn(await world.operation(account))))).toBe('fine')
  })

  test('a deposit is shared by all tenants', async () => {
    const other = await world.tenant()
    const first = await holder()
    const callData = execute(world.token.address, 0n, approval())
    const expensive = { callData, verificationGasLimit: 300_000n, maxFeePerGas: 10n ** 12n }
    const op = await world.operation(first, expensive)
    await world.token.write('mint', [first.address, wealth])
    const cost = requiredPrefund({ ...op, ...(await world.paymaster.stub(paidIn(op))) })
    const free = async () => {
      const key = {
        chainId: world.chain.chainId,
        paymaster: paymaster.address,
        sender: address(1),
        nonce: 0n,
      }
      return (await paymaster.deposit()) - world.books.ledger.promised(undefined, key)
    }
    const excess = (await free()) - (2n * cost - 1n)
    if (excess < 0n) await paymaster.write('deposit', [], { value: -excess })
    else await paymaster.write('withdrawTo', [address(99), excess])
    expect(await outcome(world.paymaster.data(paidIn(op)))).toBe('fine')
    const request = { ...paidIn(await world.operation(await holder(), expensive)), caller: other.caller }
    expect(await outcome(world.paymaster.data(request))).toStartWith('400 deposit_too_low')
    await paymaster.write('deposit', [], { value: parseEther('10') })
    expect(await outcome(world.paymaster.data(request))).toBe('fine')
  })

  test("what the paymaster's own feeds say is charged by symbol, where the token has such", async () => {
    const account = await holder()
    const make = await tokenMaker(world.chain)
    const { timestamp } = await rpc<{ timestamp: Hex }>(world.chain.url, 'eth_getBlockByNumber', [
      'latest',
      false,
    ])
    const [nativeFeed, tokenFeed] = [await make('TestFeed', 8), await make('TestFeed', 8)]
    await nativeFeed.write('set', [coinPrice, BigInt(timestamp)])
    await tokenFeed.write('set', [tokenPrice, BigInt(timestamp)])
    await paymaster.write('setNativeFeed', [nativeFeed.address, 86_400])
    await paymaster.write('setTokenFeed', [world.token.address, tokenFeed.address, 86_400])
    const source = (feed: Address) => ({ kind: 'chainlink', feed, maxAge: 86_400 }) as const
    const token = { symbol: 'PLN', address: world.token.address, decimals: 6, onChainFeed: true }
    const port = world.variant({
      tokens: [{ ...token, price: source(tokenFeed.address) }],
      nativePrice: source(nativeFeed.address),
    })
    const callData = execute(world.token.address, 0n, approval())
    const asked = await world.operation(account, { callData })
    const op = await port.sponsorOperation(paidIn(asked, { mode: 'erc20', token: 'pln' }))
    expect(decodeTokenData(op.paymasterData)).toMatchObject({
      ...{ price: 'feed', exchangeRate: (tokenRate * 105n) / 100n },
    })
    await included(account, op)
  })
})

describe('a token that is not served', () => {
  const unsupported = '400 unsupported_token: Unsupported network/token'

  test.each([
    ['erc20', 'XYZ'],
    ['multitoken', address(5)],
    ['commonerc20', address(5)],
  ] as const)('by %s', async (mode, token) => {
    const op = await world.operation(await pennilessAccount(world.chain, '0.7'))
    const request = paidIn(op, { mode, token } as PaymasterContext)
    for (const call of ['sponsorOperation', 'stub', 'data'] as const)
      expect(await outcome(world.paymaster[call](request))).toBe(unsupported)
  })
  test('on a chain, or with a version, that has no token paymaster', async () => {
    const { '0.7': own } = world.tokenPaymasters
    const port = world.variant({ tokenPaymasters: { '0.7': own.address } })
    const op = await world.operation(await pennilessAccount(world.chain, '0.8'))
    expect(await outcome(port.stub(paidIn(op)))).toBe(unsupported)
    expect(await outcome(port.quotes({ caller: tenant.caller, op, tokens: [] }))).toBe(unsupported)
    expect(await port.commonPaymasters('0.8')).toEqual([])
  })
})

describe('quotes', () => {
  const down = { kind: 'http', url: 'http://127.0.0.1:1', id: 'x', maxAge: 60, timeoutMs: 1000 } as const
  const dead = {
    symbol: 'DED',
    address: getAddress(address(6)),
    decimals: 18,
    price: down,
    onChainFeed: false,
  }
  const plain = () => ({
    ...{ symbol: 'PLN', address: world.token.address, decimals: 6, onChainFeed: false },
    price: { kind: 'fixed', usd: tokenPrice } as const,
  })

  test('tell rates for one coin, gas and fees; a bad token does not fail the rest', async () => {
    const account = await pennilessAccount(world.chain, '0.7')
    const op = await world.operation(account, { callGasLimit: 0n, maxFeePerGas: 0n })
    const tokens = [getAddress(address(5)), world.token.address, dead.address]
    const port = world.variant({ tokens: [plain(), dead] })
    const { gasEstimates, ...rest } = await port.quotes({ caller: tenant.caller, op, tokens })
    expect(rest).toEqual({
      etherUSDExchangeRate: coinPrice,
      paymasterAddress: world.tokenPaymasters['0.7'].address,
      feeEstimates: { maxFeePerGas: 5_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
      quotes: [
        {
          ...{ token: world.token.address, symbol: 'PLN', decimals: 6 },
          ...{ etherTokenExchangeRate: tokenRate, serviceFeePercent: 10 },
        },
      ],
      unsupportedTokens: [tokens[0], dead.address] as never,
    })
    expect(Object.values(gasEstimates).every((gas) => typeof gas === 'bigint')).toBe(true)
    const {
      gasEstimates: _gas,
      feeEstimates: _fees,
      ...rates
    } = await port.quotes({
      ...{ caller: tenant.caller, op, tokens },
    })
    expect(await port.rates({ version: '0.7', tokens })).toEqual(rates)
  })
  test('are not to be had while the coin has no price', async () => {
    const port = world.variant({ nativePrice: down })
    expect(await outcome(port.rates({ version: '0.7', tokens: [world.token.address] }))).toBe(
      '-32603 No current price is known',
    )
  })
  test('a token without a price is paid by nobody', async () => {
    const port = world.variant({ tokens: [dead] })
    const op = await world.operation(await pennilessAccount(world.chain, '0.7'))
    const request = paidIn(op, { mode: 'commonerc20', token: dead.address })
    expect(await outcome(port.data(request))).toBe('-32603 No current price is known')
  })
})

test('the tokens that are taken, with the paymaster of each version', async () => {
  for (const version of entryPointVersions)
    expect(await world.paymaster.commonPaymasters(version)).toEqual([
      {
        paymasterAddress: world.tokenPaymasters[version].address,
        gasToken: world.token.address,
        chainId: world.chain.chainId,
        decimals: 6,
      },
    ])
})

describe('metadata', () => {
  test("are the tenant's wallet, its coins, and the token paymasters", async () => {
    expect(await world.paymaster.metadata(tenant.caller, '0.6')).toEqual({
      sponsorAddress: tenant.wallet.address,
      sponsorWalletBalance: parseEther('100'),
      chainsSupported: [world.chain.chainId],
      tokenPaymasters: { [world.chain.chainId]: { PLN: world.tokenPaymasters['0.6'].address } },
    })
  })
  test("of 0.7 are those of the tenant's own paymaster", async () => {
    const other = await world.tenant()
    expect(await outcome(world.paymaster.metadata(other.caller, '0.7'))).toBe(
      '400 paymaster_not_deployed: Paymaster not deployed',
    )
    await world.deployFor(other, '0.7')
    expect(await world.paymaster.metadata(other.caller, '0.7')).toMatchObject({
      tokenPaymasters: { [world.chain.chainId]: { PLN: world.tokenPaymasters['0.7'].address } },
    })
  })
})
