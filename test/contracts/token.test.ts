import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Address, encodeFunctionData, type Hex, parseEther, toFunctionSelector } from 'viem'
import { encodeTokenData, type TokenTerms } from '../../src/contracts/paymaster/terms.ts'
import { encodeHandleOps, entryPoints } from '../../src/types/entrypoint.ts'
import { entryPointVersions } from '../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { requiredPrefund } from '../../src/types/userop-cost.ts'
import { execute, sign, type TestAccount } from '../support/accounts.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import {
  approve,
  type Handled,
  handleOps,
  logsOf,
  newKey,
  paidOperation,
  paymasterLogs,
  pennilessAccount,
  refusal,
  type TestPaymaster,
  testPaymaster,
  unsignedOperation,
} from '../support/paymasters.ts'
import { balanceOf, executeBatch, type TestContract, type TokenName, tokenMaker } from '../support/tokens.ts'

const coin = 10n ** 18n
const exchangeRate = parseEther('3000')
const markup = 1_100_000
const wealth = parseEther('1000000')

let chain: DevChain
let make: Awaited<ReturnType<typeof tokenMaker>>
beforeAll(async () => {
  chain = await startDevChain()
  make = await tokenMaker(chain)
})
afterAll(() => chain.stop())

async function timestamp(): Promise<number> {
  const { timestamp } = await rpc<{ timestamp: string }>(chain.url, 'eth_getBlockByNumber', ['latest', false])
  return Number(timestamp)
}

/** What `wei` of gas come to in the token. */
const inTokens = (wei: bigint): bigint => (wei * exchangeRate * BigInt(markup)) / 1_000_000n / coin

describe.each([...entryPointVersions])('the token paymaster of %s', (version) => {
  let paymaster: TestPaymaster
  beforeAll(async () => {
    paymaster = await testPaymaster(chain, 'token', version)
  })

  const terms = (token: TestContract, changes: Partial<TokenTerms> = {}): Hex =>
    encodeTokenData({
      validUntil: 0,
      validAfter: 0,
      price: 'signed',
      token: token.address,
      exchangeRate,
      priceMarkup: markup,
      ...changes,
    })
  const approval = (token: TestContract, amount = wealth) =>
    token.call('approve', [paymaster.address, amount])

  /** An account with plenty of a new token, approved or not. */
  async function holder(name: TokenName, approved: 'approved' | 'not approved') {
    const token = await make(name, name === 'PlainToken' ? 18 : undefined)
    const account = await pennilessAccount(chain, version)
    await token.write('mint', [account.address, wealth])
    if (approved === 'approved') {
      const plain = await make('PlainToken', 18)
      await plain.write('mint', [account.address, wealth])
      const calls = [
        { target: token.address, data: approval(token) },
        { target: plain.address, data: approval(plain) },
      ]
      const op = await paidOperation(chain, account, paymaster, terms(plain), {
        callData: executeBatch(version, calls),
      })
      expect((await handleOps(chain, [op])).operations[0]?.success).toBe(true)
    }
    return { token, account }
  }

  const pays = (account: TestAccount, token: TestContract, changes: Partial<UserOperation> = {}) =>
    paidOperation(chain, account, paymaster, terms(token), changes)

  /** What a paid operation took from the account is what the event says, what arrived, and what the gas is worth. */
  async function settled(account: TestAccount, token: TestContract, run: () => Promise<Handled>) {
    const [deposit, held, theirs] = [
      await paymaster.deposit(),
      await balanceOf(token, paymaster.address),
      await balanceOf(token, account.address),
    ]
    const handled = await run()
    const [event] = paymasterLogs(paymaster, handled)
    const charged = event?.tokenAmount as bigint
    const [operation] = handled.operations
    const { actualGasCost = 0n, actualGasUsed = 0n, userOpHash } = operation ?? {}
    expect(event).toEqual({
      userOpHash,
      token: token.address,
      tokenAmount: charged,
      tokenPerNative: (exchangeRate * BigInt(markup)) / 1_000_000n,
    })
    expect(theirs - (await balanceOf(token, account.address))).toBe(charged)
    expect((await balanceOf(token, paymaster.address)) - held).toBe(charged)
    expect(deposit - (await paymaster.deposit())).toBe(actualGasCost)
    const allowance = (actualGasCost / actualGasUsed) * 60_000n
    expect(charged).toBeGreaterThanOrEqual(inTokens(actualGasCost))
    expect(charged).toBeLessThan(inTokens(actualGasCost + allowance))
    return { handled, operation }
  }

  /** The paymaster has paid for the gas, and nothing else has moved. */
  async function unpaid(account: TestAccount, token: TestContract, op: UserOperation) {
    const deposit = await paymaster.deposit()
    const before = [await balanceOf(token, paymaster.address), await balanceOf(token, account.address)]
    const handled = await handleOps(chain, [op])
    const [operation] = handled.operations
    expect(operation?.success).toBe(false)
    expect([await balanceOf(token, paymaster.address), await balanceOf(token, account.address)]).toEqual(
      before,
    )
    const lost = deposit - (await paymaster.deposit())
    expect(lost).toBe(operation?.actualGasCost ?? 0n)
    expect(lost).toBeLessThanOrEqual(requiredPrefund(op))
    const events = paymasterLogs(paymaster, handled)
    expect(events.map(({ tokenAmount }) => tokenAmount)).toEqual(version === '0.6' ? [0n] : [])
  }

  describe.each(['PlainToken', 'SilentToken', 'ProxiedToken'] as const)('with a %s', (name) => {
    test('takes the highest cost and returns the rest when it was approved before', async () => {
      const { token, account } = await holder(name, 'approved')
      const op = await pays(account, token)
      const { operation } = await settled(account, token, () => handleOps(chain, [op]))
      expect(operation?.success).toBe(true)
    })

    test('takes the cost after the calls when one of them approves', async () => {
      const { token, account } = await holder(name, 'not approved')
      const op = await pays(account, token, { callData: execute(token.address, 0n, approval(token)) })
      const { operation } = await settled(account, token, () => handleOps(chain, [op]))
      expect(operation?.success).toBe(true)
    })
  })

  test('is paid for calls that revert', async () => {
    const { token, account } = await holder('PlainToken', 'approved')
    const tooMuch = token.call('transfer', [newKey().address, wealth * 2n])
    const op = await pays(account, token, { callData: execute(token.address, 0n, tooMuch) })
    const { operation } = await settled(account, token, () => handleOps(chain, [op]))
    expect(operation?.success).toBe(false)
  })

  test('is paid by a sender that gives all away in its calls, when it has approved before', async () => {
    const { token, account } = await holder('PlainToken', 'approved')
    const thief = newKey().address
    const op = await pays(account, token)
    const held = await balanceOf(token, account.address)
    const price = op.maxFeePerGas
    const left = held - inTokens(requiredPrefund(op) + 100_000n * price)
    const calls = { callData: execute(token.address, 0n, token.call('transfer', [thief, left])) }
    const { handled } = await settledAfterTransfer(account, token, left, () =>
      pays(account, token, calls).then((rich) => handleOps(chain, [rich])),
    )
    expect(handled.operations[0]?.success).toBe(true)
    expect(await balanceOf(token, thief)).toBe(left)
  })

  /** As `settled`, with a transfer of the account's own beside it. */
  async function settledAfterTransfer(
    account: TestAccount,
    token: TestContract,
    moved: bigint,
    run: () => Promise<Handled>,
  ) {
    const theirs = await balanceOf(token, account.address)
    const handled = await run()
    const [event] = paymasterLogs(paymaster, handled)
    expect(theirs - (await balanceOf(token, account.address)) - moved).toBe(event?.tokenAmount as bigint)
    return { handled }
  }

  test('loses no more than the gas to a sender that gives all away before it is to pay', async () => {
    const { token, account } = await holder('PlainToken', 'not approved')
    const thief = newKey().address
    const calls = [
      { target: token.address, data: approval(token) },
      { target: token.address, data: token.call('transfer', [thief, wealth]) },
    ]
    await unpaid(account, token, await pays(account, token, { callData: executeBatch(version, calls) }))
    expect(await balanceOf(token, thief)).toBe(0n)
  })

  test('loses no more than the gas to a sender whose approving calls revert', async () => {
    const { token, account } = await holder('PlainToken', 'not approved')
    const calls = [
      { target: token.address, data: approval(token) },
      { target: token.address, data: token.call('transfer', [newKey().address, wealth * 2n]) },
    ]
    await unpaid(account, token, await pays(account, token, { callData: executeBatch(version, calls) }))
  })

  test('that a sender does not pay costs the others in the bundle nothing', async () => {
    const { token, account } = await holder('PlainToken', 'not approved')
    const honest = await holder('PlainToken', 'approved')
    const bad = await pays(account, token)
    const good = await pays(honest.account, honest.token)
    const held = await balanceOf(honest.token, honest.account.address)
    const handled = await handleOps(chain, [bad, good])
    expect(handled.operations.map(({ success }) => success)).toEqual([false, true])
    const charged = paymasterLogs(paymaster, handled).find((log) => log.token === honest.token.address)
    expect(held - (await balanceOf(honest.token, honest.account.address))).toBe(
      charged?.tokenAmount as bigint,
    )
  })

  test('refuses a token that loses a part on the way, when it is to be paid before', async () => {
    const { token, account } = await holder('FeeToken', 'approved')
    const op = await pays(account, token)
    expect(await refusal(chain, [op])).toBe('AA33 reverted: token not received')
  })

  test('takes no part of such a token for the whole, when it is to be paid after', async () => {
    const { token, account } = await holder('FeeToken', 'not approved')
    const callData = execute(token.address, 0n, approval(token))
    await unpaid(account, token, await pays(account, token, { callData }))
  })

  test('takes false from a token for what it is, before and after the calls', async () => {
    const before = await holder('FalseToken', 'approved')
    const op = await pays(before.account, before.token)
    await before.token.write('refuse', [true])
    expect(await refusal(chain, [op])).toBe('AA33 reverted: token not received')
    const after = await holder('FalseToken', 'not approved')
    const callData = execute(after.token.address, 0n, approval(after.token))
    const late = await pays(after.account, after.token, { callData })
    await after.token.write('refuse', [true])
    await unpaid(after.account, after.token, late)
  })

  test('never pays a sender whose token it cannot return; it keeps what it took or gives it back after all', async () => {
    const { token, account } = await holder('FalseToken', 'approved')
    const callData = execute(token.address, 0n, token.call('refuse', [true]))
    const theirs = await balanceOf(token, account.address)
    const handled = await handleOps(chain, [await pays(account, token, { callData })])
    expect(handled.operations[0]?.success).toBe(false)
    const paid = theirs - (await balanceOf(token, account.address))
    expect(paid).toBe(await balanceOf(token, paymaster.address))
    expect(paid).toBeGreaterThanOrEqual(inTokens(handled.operations[0]?.actualGasCost ?? 0n))
  })

  test('is not moved by a token that calls back', async () => {
    const { token, account } = await holder('HookToken', 'approved')
    const { address, abi } = entryPoints[version]
    const { address: victim } = paymaster
    const paymasterCall = (name: string, args: readonly unknown[]): [Address, Hex] => [
      victim,
      encodeFunctionData({
        abi: [{ type: 'function', name, inputs: inputsOf(args), outputs: [], stateMutability: 'nonpayable' }],
        functionName: name,
        args,
      }),
    ]
    const attempts: [Address, Hex][] = [
      [address, encodeHandleOps(version, [], account.address)],
      [address, encodeFunctionData({ abi, functionName: 'withdrawTo', args: [account.address, 1n] })],
      paymasterCall('collect', [token.address, 1n]),
      paymasterCall('withdrawTo', [account.address, 1n]),
    ]
    for (const attempt of attempts) {
      await token.write('hook', attempt)
      const called = await token.read<bigint>('called')
      const { operation } = await settled(account, token, async () =>
        handleOps(chain, [await pays(account, token)]),
      )
      expect(operation?.success).toBe(true)
      expect(await token.read<bigint>('called')).toBe(called)
    }
  })

  test('pays nothing beyond its deposit', async () => {
    const { token, account } = await holder('PlainToken', 'approved')
    const op = await pays(account, token)
    const deposit = await paymaster.deposit()
    await paymaster.write('withdrawTo', [paymaster.owner.address, deposit])
    expect(await refusal(chain, [op])).toBe('AA31 paymaster deposit too low')
    await paymaster.write('deposit', [], { value: deposit })
    expect(await refusal(chain, [op])).toBeUndefined()
  })

  test('pays once: neither the operation nor its signature is good for another', async () => {
    const { token, account } = await holder('PlainToken', 'approved')
    const op = await pays(account, token)
    await handleOps(chain, [op])
    expect(await refusal(chain, [op])).toBe('AA25 invalid account nonce')
    const next = await sign(chain, account, { ...op, nonce: op.nonce + 1n })
    expect(await refusal(chain, [next])).toBe('AA34 signature error')
  })

  test('not outside its time', async () => {
    const { token, account } = await holder('PlainToken', 'approved')
    const now = await timestamp()
    for (const window of [
      { validUntil: now - 1, validAfter: 0 },
      { validUntil: now + 900, validAfter: now + 600 },
    ]) {
      const op = await paidOperation(chain, account, paymaster, terms(token, window))
      expect(await refusal(chain, [op])).toBe('AA32 paymaster expired or not due')
    }
  })

  test('not at terms that were not signed', async () => {
    const { token, account } = await holder('PlainToken', 'approved')
    const worthless = await make('PlainToken', 18)
    const op = await pays(account, token)
    const changes: Partial<TokenTerms>[] = [
      { validUntil: 1 },
      { validAfter: 1 },
      { price: 'feed' },
      { token: worthless.address },
      { exchangeRate: 1n },
      { priceMarkup: 1 },
    ]
    for (const change of changes) {
      const paymasterData: Hex =
        `${terms(token, change).slice(0, -130)}${op.paymasterData.slice(-130)}` as Hex
      const changed = await sign(chain, account, { ...op, paymasterData })
      expect(await refusal(chain, [changed]), Object.keys(change).join()).toBe('AA34 signature error')
    }
  })

  test('not with other gas or calls than were signed, nor for another chain, nor by anybody else', async () => {
    const { token, account } = await holder('PlainToken', 'approved')
    const op = await pays(account, token)
    const changes: Partial<UserOperation>[] = [
      { callData: '0x00' },
      { callGasLimit: op.callGasLimit * 50n },
      { verificationGasLimit: op.verificationGasLimit + 1n },
      { preVerificationGas: op.preVerificationGas + 1n },
      { maxFeePerGas: op.maxFeePerGas + 1n },
      { maxPriorityFeePerGas: op.maxPriorityFeePerGas - 1n },
      ...(version === '0.6' ? [] : [{ paymasterPostOpGasLimit: op.paymasterPostOpGasLimit + 1n }]),
    ]
    for (const change of changes) {
      const changed = await sign(chain, account, { ...op, ...change })
      expect(await refusal(chain, [changed]), Object.keys(change).join()).toBe('AA34 signature error')
    }
    const unsigned = await unsignedOperation(chain, account, paymaster, terms(token))
    const foreign = [
      await approve(unsigned, paymaster.signer, chain.chainId + 1),
      await approve(unsigned, newKey(), chain.chainId),
      unsigned,
    ]
    for (const some of foreign)
      expect(await refusal(chain, [await sign(chain, account, some)])).toBe('AA34 signature error')
  })

  test('not for nothing, not by a price of an unknown kind, not with data of another length', async () => {
    const { token, account } = await holder('PlainToken', 'approved')
    const free = await paidOperation(chain, account, paymaster, terms(token, { exchangeRate: 0n }))
    expect(await refusal(chain, [free])).toBe('AA33 reverted: rate is zero')
    const strange = await paidOperation(chain, account, paymaster, `0x02${terms(token).slice(4)}`)
    expect(await refusal(chain, [strange])).toBe('AA33 reverted: unknown price source')
    const longer = await paidOperation(chain, account, paymaster, `${terms(token)}00`)
    expect(await refusal(chain, [longer])).toBe('AA33 reverted: paymasterAndData has a wrong length')
  })

  test('not with too little gas for being paid', async () => {
    const { token, account } = await holder('PlainToken', 'not approved')
    const limit = 59_999n
    const gas = version === '0.6' ? { verificationGasLimit: limit } : { paymasterPostOpGasLimit: limit }
    const name = version === '0.6' ? 'verificationGasLimit' : 'paymasterPostOpGasLimit'
    const op = await pays(account, token, gas)
    expect(await refusal(chain, [op])).toBe(`AA33 reverted: ${name} below postOp's gas`)
  })

  test('a callGasLimit that is far too high is paid for by who asked for it', async () => {
    const { token, account } = await holder('PlainToken', 'approved')
    const op = await pays(account, token, { callGasLimit: 3_000_000n })
    const handled = await handleOps(chain, [op])
    const [event] = paymasterLogs(paymaster, handled)
    const cost = handled.operations[0]?.actualGasCost ?? 0n
    expect(event?.tokenAmount as bigint).toBeGreaterThanOrEqual(inTokens(cost))
  })

  test('gives what it took to the fee receiver, by its owner only', async () => {
    const { token, account } = await holder('PlainToken', 'approved')
    await handleOps(chain, [await pays(account, token)])
    const held = await balanceOf(token, paymaster.address)
    const stranger = newKey().address
    const everything = 2n ** 256n - 1n
    for (const [name, args] of [
      ['collect', [token.address, 1n]],
      ['setFeeReceiver', [stranger]],
      ['setSigner', [stranger]],
      ['setNativeFeed', [token.address, 1]],
      ['setTokenFeed', [token.address, token.address, 1]],
      ['removeTokenFeed', [token.address]],
      ['withdrawTo', [stranger, 1n]],
    ] as const)
      expect(await paymaster.refusal(name, args, stranger), name).toBe('OwnableUnauthorizedAccount')
    await paymaster.write('collect', [token.address, 1n])
    expect(await balanceOf(token, paymaster.feeReceiver)).toBe(1n)
    const heir = newKey().address
    await paymaster.write('setFeeReceiver', [heir])
    await paymaster.write('collect', [token.address, everything])
    expect(await balanceOf(token, heir)).toBe(held - 1n)
    expect(await balanceOf(token, paymaster.address)).toBe(0n)
    await paymaster.write('setFeeReceiver', [paymaster.feeReceiver])
  })
})

test('from 0.7 on the EntryPoint says why a sender did not pay', async () => {
  const paymaster = await testPaymaster(chain, 'token', '0.7')
  const token = await make('PlainToken', 18)
  const account = await pennilessAccount(chain, '0.7')
  const data = encodeTokenData({
    ...{ validUntil: 0, validAfter: 0, price: 'signed', token: token.address },
    ...{ exchangeRate, priceMarkup: markup },
  })
  const { receipt } = await handleOps(chain, [await paidOperation(chain, account, paymaster, data)])
  const reasons = logsOf(receipt.logs, entryPoints['0.7'].abi, 'PostOpRevertReason')
  const failed = toFunctionSelector('PaymasterERC20FailedRefund(address,uint256,uint256,bytes)')
  expect(reasons.map(({ revertReason }) => String(revertReason).includes(failed.slice(2)))).toEqual([true])
})

const inputsOf = (args: readonly unknown[]) =>
  args.map((value) => ({ type: typeof value === 'bigint' ? 'uint256' : 'address' }))
