import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Address, numberToHex, parseEther, zeroAddress } from 'viem'
import { bundleGasLimit } from '../../../src/gas/bundle-gas.ts'
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
} from '../../support/accounts.ts'
import { relayer, sendBundle } from '../../support/bundles.ts'
import { type DevChain, startDevChain } from '../../support/devChain.ts'
import { type OpenContracts, openContracts } from '../../support/open.ts'

const chainFacts = { eip7623: true }
/** A beneficiary that does not exist yet is the dearest one. */
let nextBeneficiary = 0xbe00_0000n

let chain: DevChain
let open: OpenContracts
let burner: Address
beforeAll(async () => {
  chain = await startDevChain({ extraArguments: ['--gas-limit', '100000000'] })
  open = await openContracts(chain)
  burner = await open.deploy('GasBurner')
})
afterAll(() => chain.stop())

/** An operation that uses up (nearly) all of its verification and call gas. */
async function burning(limits: Pick<UserOperation, 'version' | 'verificationGasLimit' | 'callGasLimit'>) {
  const burn = limits.verificationGasLimit - 75_000n
  return open.operation(limits.version, { ...limits, callData: execute(burner) }, { burn })
}

async function outcomeWith(ops: readonly UserOperation[], gas: bigint): Promise<boolean> {
  const beneficiary = numberToHex(nextBeneficiary++, { size: 20 })
  return (await sendBundle(chain, ops, { gas, beneficiary })).succeeded
}

const limitOf = (ops: readonly UserOperation[]) =>
  bundleGasLimit(ops[0]?.version ?? '0.8', ops, relayer.address, chainFacts)

describe.each([...entryPointVersions])('EntryPoint %s', (version) => {
  test.each([
    ['one small operation', [{ verificationGasLimit: 120_000n, callGasLimit: 30_000n }]],
    ['validation that dwarfs execution', [{ verificationGasLimit: 4_000_000n, callGasLimit: 30_000n }]],
    ['execution that dwarfs validation', [{ verificationGasLimit: 120_000n, callGasLimit: 9_000_000n }]],
    [
      'the dearest last',
      [
        { verificationGasLimit: 120_000n, callGasLimit: 100_000n },
        { verificationGasLimit: 1_000_000n, callGasLimit: 5_000_000n },
      ],
    ],
    [
      'many alike',
      Array.from({ length: 8 }, () => ({ verificationGasLimit: 200_000n, callGasLimit: 300_000n })),
    ],
  ])('the limit suffices for %s', async (_name, limits) => {
    const ops: UserOperation[] = []
    for (const each of limits) ops.push(await burning({ version, ...each }))
    expect(await outcomeWith(ops, limitOf(ops))).toBe(true)
  })

  test('much less than the limit does not suffice', async () => {
    const ops = [await burning({ version, verificationGasLimit: 200_000n, callGasLimit: 2_000_000n })]
    expect(await outcomeWith(ops, (limitOf(ops) * 9n) / 10n)).toBe(false)
  })

  test('the limit suffices with a paymaster whose postOp burns its gas', async () => {
    const slots = 40n
    const paymaster = await open.paymaster(version, parseEther('1'), { contextSize: 64n, postOpSlots: slots })
    const op = {
      ...(await burning({ version, verificationGasLimit: 1_000_000n, callGasLimit: 200_000n })),
      paymaster,
      paymasterVerificationGasLimit: version === '0.6' ? 0n : 100_000n,
      paymasterPostOpGasLimit: version === '0.6' ? 0n : 22_500n * slots,
    }
    expect(await outcomeWith([op], limitOf([op]))).toBe(true)
  })
})

test('calldata that costs more than what it does is given the floor of EIP-7623', async () => {
  const account = await simpleAccount(chain, '0.8')
  const large = await signedOperation(chain, account, { callData: `0x${'ab'.repeat(60_000)}` })
  const op = { ...large, callGasLimit: 0n, verificationGasLimit: 0n }
  const floor = bundleGasLimit('0.8', [op], zeroAddress, { eip7623: true })
  expect(floor).toBeGreaterThan(21_000n + 60_000n * 40n)
  expect(bundleGasLimit('0.8', [op], zeroAddress, { eip7623: false })).toBeLessThan(floor)
})

test('the limit covers an EIP-7702 authorization', async () => {
  const account = delegatedAccount()
  await fund(chain, account.address)
  const eip7702Auth = await authorization(chain, account.owner)
  const op = await sign(chain, account, {
    ...(await signedOperation(chain, account, { eip7702Auth })),
    verificationGasLimit: 70_000n,
    callGasLimit: 40_000n,
  })
  const without = bundleGasLimit('0.8', [{ ...op, eip7702Auth: undefined }], relayer.address, chainFacts)
  expect(limitOf([op]) - without).toBe(25_000n)
  expect(await outcomeWith([await sign(chain, account, op)], limitOf([op]))).toBe(true)
})
