import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { getAddress, parseEther, size } from 'viem'
import { stubSignature, withoutSignature } from '../../src/contracts/paymaster/terms.ts'
import { type EntryPointVersion, entryPointVersions } from '../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { requiredPrefund } from '../../src/types/userop-cost.ts'
import type { TestAccount } from '../support/accounts.ts'
import { handleOps, pennilessAccount, refusal, type TestPaymaster } from '../support/paymasters.ts'
import { decodeWindowData } from '../support/paymasterTerms.ts'
import {
  coinPrice,
  type PaymasterWorld,
  paymasterWorld,
  sponsored,
  sponsorship,
  type TestTenant,
} from '../support/paymasterWorld.ts'

let world: PaymasterWorld
beforeAll(async () => {
  world = await paymasterWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const kinds = [['shared', '0.6'], ...entryPointVersions.map((version) => ['own', version] as const)] as [
  kind: 'shared' | 'own',
  version: EntryPointVersion,
][]

/** A tenant with a policy that takes everything, a paymaster with a deposit, and an account that it may pay for. */
async function setting(kind: 'shared' | 'own', version: EntryPointVersion) {
  const { chain, shared } = world
  const [tenant, account] = await Promise.all([world.tenant(), pennilessAccount(chain, version)])
  let paymaster: TestPaymaster
  if (kind === 'own') paymaster = await world.deployFor(tenant, version)
  else {
    paymaster = shared
    const as = tenant.wallet.address
    await shared.write('depositFor', [as], { value: parseEther('1') })
    await shared.write('addToWhitelist', [account.address], { as })
  }
  const policy = await world.policies.add(tenant.caller, {})
  return { tenant, account, paymaster, policy, useVp: kind === 'own' }
}

const spentBy = (id: number) => world.books.ledger.spent(id)

describe.each(kinds)('the %s paymaster of %s', (kind, version) => {
  let tenant: TestTenant
  let account: TestAccount
  let paymaster: TestPaymaster
  let policyId: number
  let useVp: boolean
  const request = (op: UserOperation) => sponsored(tenant, op, { useVp })
  beforeAll(async () => {
    const made = await setting(kind, version)
    ;({ tenant, account, paymaster, useVp } = made)
    policyId = made.policy.id
  })

  test('pays for an operation with the gas limits that it got with the signature', async () => {
    const asked = await world.operation(account, { callGasLimit: 0n, verificationGasLimit: 0n })
    const op = await world.paymaster.sponsorOperation(request({ ...asked, signature: '0x' }))
    expect(op.paymaster).toBe(getAddress(paymaster.address))
    expect(size(op.paymasterData)).toBe(129)
    const native = requiredPrefund(op)
    expect(spentBy(policyId)).toEqual({ native, usd: (native * coinPrice) / 10n ** 18n, count: 1 })
    const { operations } = await handleOps(world.chain, [await world.signedBy(account, op)])
    expect(operations.map(({ success }) => success)).toEqual([true])
  })

  test('pays for an operation with the limits of its stub', async () => {
    const op = await world.operation(account)
    const stub = await world.paymaster.stub(request(op))
    const limits = { ...op, ...stub }
    const data = await world.paymaster.data(request(limits))
    expect({ ...data, paymasterData: size(data.paymasterData) }).toEqual({
      ...stub,
      paymasterData: size(stub.paymasterData),
    })
    const { operations } = await handleOps(world.chain, [
      await world.signedBy(account, { ...limits, ...data }),
    ])
    expect(operations.map(({ success }) => success)).toEqual([true])
  })

  test('pays for an operation with an estimate of its stub', async () => {
    const op = await world.operation(account)
    const stubbed = { ...op, ...(await world.paymaster.stub(request(op))) }
    const estimated = { ...stubbed, ...(await world.estimate(stubbed, undefined)) }
    const data = await world.paymaster.data(request(estimated))
    const signed = await world.signedBy(account, { ...estimated, ...data })
    const { operations } = await handleOps(world.chain, [signed])
    expect(operations.map(({ success }) => success)).toEqual([true])
  })

  test('a stub holds on no chain, and reserves nothing', async () => {
    const before = spentBy(policyId)
    const op = await world.operation(account)
    const stub = await world.paymaster.stub(request(op))
    expect(stub.paymasterData).toEndWith(stubSignature.slice(2))
    const signed = await world.signedBy(account, { ...op, ...stub })
    expect(await refusal(world.chain, [signed])).toMatch(/AA34 signature error|AA33 reverted/)
    expect(spentBy(policyId)).toEqual(before)
  })

  test('holds for ten minutes, from a minute ago', async () => {
    const { paymasterData } = await world.paymaster.data(request(await world.operation(account)))
    const now = Math.floor(world.clock.now / 1000)
    expect(decodeWindowData(paymasterData)).toEqual({ validAfter: now - 60, validUntil: now + 600 })
  })

  test('holds as long as the caller says', async () => {
    const now = world.clock.now
    const context = sponsorship({ validAfter: now + 120_000, validUntil: now + 3_600_499 })
    const op = await world.operation(account)
    const { paymasterData } = await world.paymaster.data({ ...request(op), context })
    const seconds = Math.floor(now / 1000)
    expect(decodeWindowData(paymasterData)).toEqual({
      validAfter: seconds + 120,
      validUntil: Math.floor((now + 3_600_499) / 1000),
    })
    const signed = await world.signedBy(account, { ...op, paymaster: paymaster.address, paymasterData })
    if (version === '0.6')
      expect(await refusal(world.chain, [signed])).toMatch(/AA32 paymaster expired or not due/)
  })

  test('signs anew for the same nonce, and the dearest counts', async () => {
    const fresh = await setting(kind, version)
    const op = await world.operation(fresh.account)
    const ask = (changes: object) =>
      world.paymaster.data(sponsored(fresh.tenant, { ...op, ...changes }, { useVp }))
    const first = await ask({})
    const dear = { ...op, maxFeePerGas: 2n * op.maxFeePerGas }
    const second = await ask({ maxFeePerGas: dear.maxFeePerGas })
    expect(withoutSignature(second.paymasterData)).toBe(withoutSignature(first.paymasterData))
    expect(second.paymasterData).not.toBe(first.paymasterData)
    expect(spentBy(fresh.policy.id)).toMatchObject({
      count: 1,
      native: requiredPrefund({ ...dear, ...second }),
    })
  })
})
