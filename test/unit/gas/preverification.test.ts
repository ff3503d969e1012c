import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parseGwei } from 'viem'
import { type PreVerificationSettings, preVerificationGas } from '../../../src/gas/preverification.ts'
import { entryPointVersions } from '../../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import {
  authorization,
  delegatedAccount,
  execute,
  fund,
  sign,
  signedOperation,
  simpleAccount,
  type TestAccount,
} from '../../support/accounts.ts'
import { deployAccount, sendBundle } from '../../support/bundles.ts'
import { type DevChain, startDevChain } from '../../support/devChain.ts'

const settings: PreVerificationSettings = { eip7623: true, pvgMarkup: 0n, expectedBundleSize: 1 }

/** What a bundle costs once: every operation but the first pays it for nothing when the expected size is 1. */
const paidOnce = {
  '0.6': 21_000n + 14_000n + 724n,
  '0.7': 21_000n + 14_000n + 724n,
  '0.8': 21_000n + 12_200n + 724n,
}
/** gas; how far above the cost Σ preVerificationGas may be: for the bundle, and for each of its operations. */
const slack = { bundle: 3_500n, operation: 1_500n }

let chain: DevChain
beforeAll(async () => {
  chain = await startDevChain()
})
afterAll(() => chain.stop())

async function priced(account: TestAccount, changes: Partial<UserOperation>): Promise<UserOperation> {
  const op = await signedOperation(chain, account, changes)
  return sign(chain, account, { ...op, preVerificationGas: preVerificationGas(op, settings) })
}

/** What the operations pay above what their transaction uses. */
async function excessOf(ops: readonly UserOperation[]): Promise<bigint> {
  const { gasUsed, operations } = await sendBundle(chain, ops)
  expect(operations.length).toBe(ops.length)
  return operations.reduce((sum, { actualGasUsed }) => sum + actualGasUsed, 0n) - gasUsed
}

const kinds: Record<string, (account: TestAccount) => Promise<UserOperation>> = {
  'deploys its account': async (account) => {
    await fund(chain, account.address)
    return priced(account, { callData: '0x', callGasLimit: 0n })
  },
  'moves value': async (account) => {
    await deployAccount(chain, account)
    return priced(account, { nonce: 1n, factory: undefined, factoryData: '0x', callGasLimit: 35_000n })
  },
}

describe.each([...entryPointVersions])('EntryPoint %s', (version) => {
  describe.each(Object.keys(kinds))('an operation that %s', (kind) => {
    test.each([1, 2, 10])('%d in a bundle pay for it, and little more', async (size) => {
      const make = kinds[kind] ?? kinds['moves value']
      const ops: UserOperation[] = []
      while (ops.length < size && make) ops.push(await make(await simpleAccount(chain, version)))

      const excess = await excessOf(ops)
      const unneeded = excess - paidOnce[version] * BigInt(size - 1)
      expect(unneeded).toBeGreaterThanOrEqual(0n)
      expect(unneeded).toBeLessThan(slack.bundle + slack.operation * BigInt(size))
    })
  })

  test('large calldata pays the floor of EIP-7623', async () => {
    const account = await simpleAccount(chain, version)
    await deployAccount(chain, account)
    const callData = execute('0x000000000000000000000000000000000000dEaD', 0n, `0x${'ab'.repeat(4000)}`)
    const op = await priced(account, { nonce: 1n, factory: undefined, factoryData: '0x', callData })
    expect(await excessOf([op])).toBeGreaterThanOrEqual(0n)
    expect(op.preVerificationGas).toBeGreaterThan(preVerificationGas(op, { ...settings, eip7623: false }))
  })
})

test('an EIP-7702 operation pays for its authorization', async () => {
  const account = delegatedAccount()
  await fund(chain, account.address)
  const eip7702Auth = await authorization(chain, account.owner)
  const op = await priced(account, { eip7702Auth })
  expect(await excessOf([op])).toBeGreaterThanOrEqual(0n)
  const without = preVerificationGas({ ...op, eip7702Auth: undefined }, settings)
  expect(op.preVerificationGas - without).toBe(25_000n)
})

test('operations of an expected bundle share what it costs once', async () => {
  const op = await signedOperation(chain, await simpleAccount(chain, '0.7'))
  const alone = preVerificationGas(op, settings)
  expect(alone - preVerificationGas(op, { ...settings, expectedBundleSize: 10 })).toBe(
    (paidOnce['0.7'] * 9n) / 10n,
  )
})

test('the estimate without a signature is enough for the signed operation', async () => {
  const account = await simpleAccount(chain, '0.8')
  const op = await signedOperation(chain, account)
  const estimate = preVerificationGas({ ...op, signature: '0x', preVerificationGas: 0n }, settings)
  const sent = await sign(chain, account, { ...op, preVerificationGas: estimate })
  expect(preVerificationGas(sent, settings)).toBe(estimate)
})

test('it is the same for other fees, and for limits that a wallet adds to', async () => {
  const op = await signedOperation(chain, await simpleAccount(chain, '0.7'), {
    ...{ maxFeePerGas: 7n, maxPriorityFeePerGas: 0n, callGasLimit: 60_000n, verificationGasLimit: 65_535n },
  })
  const dearer = { maxFeePerGas: parseGwei('1000'), maxPriorityFeePerGas: parseGwei('30') }
  const higher = { callGasLimit: 72_000n, verificationGasLimit: 78_642n }
  expect(preVerificationGas({ ...op, ...dearer, ...higher }, settings)).toBe(preVerificationGas(op, settings))
})

test('the markup is added', async () => {
  const op = await signedOperation(chain, await simpleAccount(chain, '0.6'))
  expect(preVerificationGas(op, { ...settings, pvgMarkup: 777n }) - preVerificationGas(op, settings)).toBe(
    777n,
  )
})
