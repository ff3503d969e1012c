import { describe, expect, test } from 'bun:test'
import { concatHex } from 'viem'
import { brotliLength } from '../../../../src/gas/data-fee/arbitrum.ts'
import { createDataGas } from '../../../../src/gas/data-fee/data-gas.ts'
import { flzLength } from '../../../../src/gas/data-fee/flz-length.ts'
import { createNoise } from '../../../../src/gas/data-fee/noise.ts'
import { opStackDataFee } from '../../../../src/gas/data-fee/op-stack.ts'
import { bundleTransaction } from '../../../../src/gas/data-fee/transaction.ts'
import { encodeHandleOps, entryPoints } from '../../../../src/types/entrypoint.ts'
import { entryPointVersions } from '../../../../src/types/entrypoint-version.ts'
import type { ArbitrumPrices, Market, OpStackPrices } from '../../../../src/types/ports/data-fee.ts'
import type { UserOperation } from '../../../../src/types/userop.ts'
import { address, userOp } from '../../../support/builders.ts'
import { random } from '../../../support/random.ts'
import { free } from '../../../unit/bundler/support.ts'

const chainId = 10
const gwei = 10n ** 9n
const opStack: OpStackPrices = {
  kind: 'op-stack',
  ...{ l1BaseFee: 8n * gwei, blobBaseFee: gwei, baseFeeScalar: 5227n, blobBaseFeeScalar: 1_014_213n },
  ...{ operatorFeePerMillionGas: 0n, operatorFeeConstant: 0n },
}
const arbitrum: ArbitrumPrices = { kind: 'arbitrum', pricePerUnit: gwei, compressionLevel: 1 }
const marketOf = (data: Market['data'], baseFee = gwei): Market => ({ quote: { ...free, baseFee }, data })
const alone = createDataGas({ chainId, expectedBundleSize: 1 })
const fees = { maxFeePerGas: 2n * gwei, maxPriorityFeePerGas: gwei }

const source = random(5)
/** An operation with a call, a signature and perhaps a paymaster like those of the field. */
const typical = (version: UserOperation['version']): UserOperation =>
  userOp({
    ...{ version, ...fees, sender: source.address(), nonce: source.uint(64), signature: source.bytes(65) },
    callData: concatHex([
      source.bytes(4),
      `0x${'00'.repeat(12)}`,
      source.bytes(20),
      source.bytes(source.int(400)),
    ]),
    callGasLimit: BigInt(source.int(1_000_000)),
    ...(source.chance(0.5)
      ? {
          paymaster: source.address(),
          paymasterData: concatHex([`0x${'00'.repeat(58)}`, source.bytes(71)]),
          paymasterVerificationGasLimit: version === '0.6' ? 0n : 40_000n,
        }
      : {}),
  })

test('a chain without data fees asks for nothing', () => {
  const market = marketOf({ kind: 'none' })
  expect(alone.ofOperation(userOp(fees), 100_000n, market)).toBe(0n)
  expect(alone.inLimit({ version: '0.7', ops: [userOp()], beneficiary: address(1) }, market)).toBe(0n)
})

/** wei that the real transaction of this bundle is charged */
function feeOfBundle(ops: readonly UserOperation[], prices: OpStackPrices | ArbitrumPrices): bigint {
  const version = ops[0]?.version ?? '0.7'
  const data = encodeHandleOps(version, ops, source.address())
  const bundle = { chainId, to: entryPoints[version].address, data, authorizations: [] }
  const transaction = bundleTransaction(bundle, (bytes) => source.bytes(bytes))
  return prices.kind === 'op-stack'
    ? opStackDataFee(flzLength(transaction), prices)
    : BigInt(brotliLength(transaction, prices)) * 16n * prices.pricePerUnit
}

describe.each([opStack, arbitrum])('$kind', (prices) => {
  const market = marketOf(prices)
  const pricePerGas = 2n * gwei
  const paid = (ops: readonly UserOperation[]) =>
    ops.reduce((sum, op) => sum + alone.ofOperation(op, 100_000n, market) * pricePerGas, 0n)

  test.each([...entryPointVersions])('%s: no bundle is charged more than its operations pay', (version) => {
    for (const size of [1, 2, 3, 8, 25]) {
      const ops = Array.from({ length: size }, () => typical(version))
      expect(paid(ops)).toBeGreaterThanOrEqual(feeOfBundle(ops, prices))
    }
  })

  test.each([...entryPointVersions])(
    '%s: one operation pays little more than its bundle is charged',
    (version) => {
      for (let round = 0; round < 20; round++) {
        const op = typical(version)
        expect(paid([op])).toBeLessThanOrEqual((feeOfBundle([op], prices) * 115n) / 100n)
      }
    },
  )

  test('what a wallet still changes does not count', () => {
    const op = typical('0.7')
    const changed = {
      ...op,
      ...{ signature: `0x${'ff'.repeat(65)}` as const, callGasLimit: 999_999n, preVerificationGas: 77_777n },
    }
    const stub = { ...op, signature: '0x' as const }
    const gas = alone.ofOperation(op, 100_000n, market)
    expect([changed, stub].map((each) => alone.ofOperation(each, 100_000n, market))).toEqual([gas, gas])
  })

  test("nor does what a paymaster's stand-in signature is made of", () => {
    const sponsored = (signature: `0x${string}`) =>
      alone.ofOperation(
        userOp({
          ...fees,
          paymaster: address(9),
          paymasterData: concatHex([`0x${'00'.repeat(64)}`, signature]),
        }),
        100_000n,
        market,
      )
    expect(sponsored(`0x${'ff'.repeat(65)}`)).toBe(sponsored(createNoise()(65)))
  })

  test('who pays more per gas needs less gas', () => {
    const op = typical('0.7')
    const dearer = { ...op, maxFeePerGas: 4n * gwei, maxPriorityFeePerGas: 3n * gwei }
    const gas = alone.ofOperation(op, 0n, market)
    expect(alone.ofOperation(dearer, 0n, market)).toBe((gas + 1n) / 2n)
  })

  test('operations of an expected bundle share what it is charged once', () => {
    const op = typical('0.7')
    const shared = createDataGas({ chainId, expectedBundleSize: 10 }).ofOperation(op, 0n, market)
    const own = alone.ofOperation(op, 0n, market)
    expect(shared).toBeLessThan(own)
    expect(shared).toBeGreaterThan(own / 4n)
  })
})

test('an EIP-7702 authorization is data too', () => {
  const op = typical('0.8')
  const eip7702Auth = {
    ...{ address: address(7), chainId, nonce: 1, yParity: 0 },
    ...{ r: `0x${'11'.repeat(32)}` as const, s: `0x${'22'.repeat(32)}` as const },
  }
  const market = marketOf(opStack)
  const more =
    alone.ofOperation({ ...op, eip7702Auth }, 0n, market) - alone.ofOperation({ ...op }, 0n, market)
  // A hundred bytes, nearly none of which repeat what is there.
  expect(more * 2n * gwei).toBeGreaterThan(opStackDataFee(271, opStack) - opStackDataFee(191, opStack))
})

test('the fee of an operator is for the gas that an operation may use, and once', () => {
  const op = typical('0.7')
  const withOperator = { ...opStack, operatorFeePerMillionGas: 3n * gwei, operatorFeeConstant: 5n * gwei }
  const gas = (prices: OpStackPrices) => alone.ofOperation(op, 2_000_000n, marketOf(prices))
  const more = gas(withOperator) - gas(opStack)
  // 2 × 3 gwei and 5 gwei at 2 gwei a gas, rounded up once.
  expect(more === 5n || more === 6n).toBe(true)
})

describe('the gas limit of a bundle', () => {
  const bundle = { version: '0.7' as const, ops: [typical('0.7'), typical('0.7')], beneficiary: address(1) }

  test('has twice what its data takes in gas on Arbitrum', () => {
    const charged = feeOfBundle(bundle.ops, arbitrum) / gwei
    const gas = alone.inLimit(bundle, marketOf(arbitrum))
    expect(gas).toBeGreaterThan((charged * 19n) / 10n)
    expect(gas).toBeLessThan((charged * 21n) / 10n)
  })

  test('has nothing for data where that is charged apart', () => {
    expect(alone.inLimit(bundle, marketOf(opStack))).toBe(0n)
  })
})
