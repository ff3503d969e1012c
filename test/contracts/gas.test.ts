import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Address, concatHex, decodeFunctionData, type Hex, parseEther } from 'viem'
import * as token06 from '../../src/contracts/paymaster/artifacts/TokenPaymaster06.ts'
import * as token07 from '../../src/contracts/paymaster/artifacts/TokenPaymaster07.ts'
import { paymasterGas } from '../../src/contracts/paymaster/gas.ts'
import { encodeTokenData, encodeWindowData } from '../../src/contracts/paymaster/terms.ts'
import { type EntryPointVersion, entryPointVersions } from '../../src/types/entrypoint-version.ts'
import { execute, type TestAccount } from '../support/accounts.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import {
  type Handled,
  handleOps,
  paidOperation,
  pennilessAccount,
  type TestPaymaster,
  testPaymaster,
} from '../support/paymasters.ts'
import { type TestContract, tokenMaker } from '../support/tokens.ts'

let chain: DevChain
let make: Awaited<ReturnType<typeof tokenMaker>>
beforeAll(async () => {
  chain = await startDevChain()
  make = await tokenMaker(chain)
})
afterAll(() => chain.stop())

type Frame = { to?: string; input: Hex; gasUsed: Hex; calls?: Frame[] }

const callsTo = (frame: Frame, to: Address): Frame[] => [
  ...(frame.to?.toLowerCase() === to.toLowerCase() ? [frame] : []),
  ...(frame.calls ?? []).flatMap((inner) => callsTo(inner, to)),
]

/**
 * What the paymaster's calls took. `settled` is postOp as the EntryPoint counts it: what was used in the end, less
 * what postOp was told; in 0.7 with a little penalty for unused gas.
 */
async function measured(paymaster: TestPaymaster, { receipt, operations }: Handled) {
  const [operation] = operations
  expect(operation?.success).toBe(true)
  const root = await rpc<Frame>(chain.url, 'debug_traceTransaction', [
    receipt.transactionHash,
    { tracer: 'callTracer' },
  ])
  const [validation, postOp] = callsTo(root, paymaster.address)
  const used = { validation: Number(validation?.gasUsed ?? 0), postOp: Number(postOp?.gasUsed ?? 0) }
  if (postOp === undefined || operation === undefined) return { ...used, settled: 0 }
  const { args } = decodeFunctionData({ abi: [...token06.abi, ...token07.abi], data: postOp.input })
  const price = operation.actualGasCost / operation.actualGasUsed
  const told = (args?.[2] as bigint) / price
  return { ...used, settled: Number(operation.actualGasUsed - told) }
}

/** The constant is more than the measured, and not so much more that it is worth another look. */
function within(gas: number, limit: bigint): void {
  expect(gas).toBeLessThanOrEqual(Number(limit))
  expect(gas).toBeGreaterThanOrEqual(Number(limit) * 0.5)
}

/** 8 KiB of calldata: an account's call with data that its target, which has no code, ignores. */
const large = execute('0x000000000000000000000000000000000000dEaD', 0n, `0x${'ab'.repeat(7_900)}`)
const gas = { callGasLimit: 80_000n, verificationGasLimit: 300_000n }
/** Limits that leave nothing for the EntryPoint's penalty. */
const postOpLimit = (version: EntryPointVersion, limit: bigint) =>
  version === '0.6' ? {} : { paymasterPostOpGasLimit: limit }
/** What postOp takes of a token paymaster that was approved before (REFUND_GAS): it only returns what is left. */
const refundGas = 20_000n
const always = encodeWindowData({ validUntil: 0, validAfter: 0 })

test('the shared sponsor paymaster', async () => {
  const paymaster = await testPaymaster(chain, 'sponsor', '0.6')
  const account = await pennilessAccount(chain, '0.6')
  await paymaster.write('addToWhitelist', [account.address], { as: paymaster.signer.address })
  const changes = { ...gas, callData: large }
  const op = await paidOperation(chain, account, paymaster, always, changes)
  const used = await measured(paymaster, await handleOps(chain, [op]))
  within(used.validation, paymasterGas.sponsor.validation)
  within(used.settled, paymasterGas.sponsor.postOp)
  expect(await paymaster.read<bigint>('POST_OP_GAS')).toBe(paymasterGas.sponsor.postOp)
})

describe.each([...entryPointVersions])('of %s', (version) => {
  test('the verifying paymaster', async () => {
    const paymaster = await testPaymaster(chain, 'verifying', version)
    const account = await pennilessAccount(chain, version)
    const changes = { ...gas, callData: large, ...postOpLimit(version, 0n) }
    const op = await paidOperation(chain, account, paymaster, always, changes)
    const used = await measured(paymaster, await handleOps(chain, [op]))
    within(used.validation, paymasterGas.verifying.validation)
    expect(used.postOp).toBe(0)
  })

  describe('the token paymaster', () => {
    let paymaster: TestPaymaster
    let account: TestAccount
    let token: TestContract
    const terms = () =>
      encodeTokenData({
        ...{ validUntil: 0, validAfter: 0, price: 'feed', token: token.address },
        ...{ exchangeRate: parseEther('1'), priceMarkup: 1_000_000 },
      })
    beforeAll(async () => {
      paymaster = await testPaymaster(chain, 'token', version)
      account = await pennilessAccount(chain, version)
      token = await make('ProxiedToken')
      await token.write('mint', [account.address, 2n ** 200n])
      const { timestamp } = await rpc<{ timestamp: Hex }>(chain.url, 'eth_getBlockByNumber', [
        'latest',
        false,
      ])
      for (const name of ['setNativeFeed', 'setTokenFeed']) {
        const feed = await make('TestFeed', 8)
        await feed.write('set', [100_000_000n, BigInt(timestamp)])
        const subject = name === 'setTokenFeed' ? [token.address] : []
        await paymaster.write(name, [...subject, feed.address, 86_400])
      }
    })

    test('that is to be paid after the calls', async () => {
      const approval = token.call('approve', [paymaster.address, 2n ** 199n])
      const op = await paidOperation(chain, account, paymaster, terms(), {
        ...gas,
        ...postOpLimit(version, paymasterGas.token.postOp),
        callData: execute(token.address, 0n, concatHex([approval, `0x${'ab'.repeat(7_800)}`])),
      })
      const used = await measured(paymaster, await handleOps(chain, [op]))
      expect(used.settled).toBeLessThanOrEqual(Number(paymasterGas.token.postOp))
      expect(used.settled).toBeGreaterThan(Number(refundGas))
      expect(await paymaster.read<bigint>('CHARGE_GAS')).toBe(paymasterGas.token.postOp)
    })

    test('that is paid before the calls', async () => {
      await token.write('mint', [paymaster.address, 0n])
      await paymaster.write('collect', [token.address, 2n ** 256n - 1n])
      const changes = { ...gas, ...postOpLimit(version, refundGas), callData: large }
      const op = await paidOperation(chain, account, paymaster, terms(), changes)
      const used = await measured(paymaster, await handleOps(chain, [op]))
      within(used.validation, paymasterGas.token.validation)
      within(used.settled, refundGas)
      expect(await paymaster.read<bigint>('REFUND_GAS')).toBe(refundGas)
    })
  })
})
