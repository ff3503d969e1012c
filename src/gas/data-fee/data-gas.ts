import type { Address, Hex } from 'viem'
import { encodeHandleOps, entryPoints } from '../../types/entrypoint.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { ArbitrumPrices, Market, OpStackPrices } from '../../types/ports/data-fee.ts'
import type { UserOperation } from '../../types/userop.ts'
import { effectivePriorityFee } from '../../types/userop-cost.ts'
import { withStandIns } from '../stand-ins.ts'
import { arbitrumDataFee, brotliLength } from './arbitrum.ts'
import { flzLength } from './flz-length.ts'
import { createNoise, type Noise } from './noise.ts'
import { opStackDataFee, opStackOperatorFee } from './op-stack.ts'
import { bundleTransaction } from './transaction.ts'

/** The gas of a chain that pays for data on another layer; 0n where there is nothing to pay. */
export type DataGas = {
  /**
   * What is asked of an operation for its part, at the price per gas that it pays in the next block.
   * @param metered gas that it may be charged for besides, since an operator's fee is for gas
   */
  ofOperation(op: UserOperation, metered: bigint, market: Market): bigint
  /** What the gas limit of a bundle needs for its data: only where data is paid for in the transaction's own gas. */
  inLimit(bundle: Bundle, market: Market): bigint
}

type Bundle = {
  version: EntryPointVersion
  ops: readonly UserOperation[]
  beneficiary: Address
}

type Prices = OpStackPrices | ArbitrumPrices

/**
 * How much the price of data, in gas, may rise until a bundle is included: the base fee falls back after a crowd, or
 * the other layer gets dearer. Gas that is not used is not paid.
 */
const room = 2n

export function createDataGas(options: {
  chainId: number
  /** operations that share what a bundle costs once */
  expectedBundleSize: number
}): DataGas {
  const shared = BigInt(options.expectedBundleSize)
  const measure = createMeasure(options.chainId)

  return {
    ofOperation(op, metered, { quote, data }) {
      if (data.kind === 'none') return 0n
      const alone = feeOf(measure.alone(op, data), data)
      const once = feeOf(measure.empty(op.version, data), data)
      const part = alone - once + divideUp(once, shared) + operatorFee(metered, data, shared)
      return divideUp(part, pricePerGas(op, quote.baseFee))
    },
    inLimit(bundle, { quote, data }) {
      if (data.kind !== 'arbitrum') return 0n
      const baseFee = quote.baseFee > 0n ? quote.baseFee : 1n
      return room * divideUp(feeOf(measure.bundle(bundle, data), data), baseFee)
    },
  }
}

function feeOf(length: number, prices: Prices): bigint {
  switch (prices.kind) {
    case 'op-stack':
      return opStackDataFee(length, prices)
    case 'arbitrum':
      return arbitrumDataFee(length, prices)
  }
}

function operatorFee(gas: bigint, prices: Prices, shared: bigint): bigint {
  if (prices.kind !== 'op-stack') return 0n
  return opStackOperatorFee(gas, prices) + divideUp(prices.operatorFeeConstant, shared)
}

/** wei per gas; an operation whose fee is below the base fee is refused for that, not for this. */
function pricePerGas(op: UserOperation, baseFee: bigint): bigint {
  const priority = effectivePriorityFee(op, baseFee)
  const price = priority > 0n ? baseFee + priority : baseFee
  return price > 0n ? price : 1n
}

/** The compressed lengths of transactions, as the chain counts them. */
function createMeasure(chainId: number) {
  /** By operation: it is asked about again for each market that it might be paid by. */
  const ofOperations = new WeakMap<UserOperation, { unit: string; length: number }>()
  const ofEmpty = new Map<string, number>()

  return {
    alone(op: UserOperation, prices: Prices): number {
      const unit = unitOf(prices)
      const known = ofOperations.get(op)
      if (known?.unit === unit) return known.length
      const noise = createNoise()
      const length = lengthOf(op.version, [densest(op, noise)], noiseAddress(noise), noise, prices)
      ofOperations.set(op, { unit, length })
      return length
    },
    empty(version: EntryPointVersion, prices: Prices): number {
      const key = `${version} ${unitOf(prices)}`
      const noise = createNoise()
      const length = ofEmpty.get(key) ?? lengthOf(version, [], noiseAddress(noise), noise, prices)
      ofEmpty.set(key, length)
      return length
    },
    bundle: ({ version, ops, beneficiary }: Bundle, prices: Prices): number =>
      lengthOf(version, ops, beneficiary, createNoise(), prices),
  }

  function lengthOf(
    version: EntryPointVersion,
    ops: readonly UserOperation[],
    beneficiary: Address,
    noise: Noise,
    prices: Prices,
  ): number {
    const transaction = bundleTransaction(
      {
        ...{ chainId, to: entryPoints[version].address, data: encodeHandleOps(version, ops, beneficiary) },
        authorizations: ops.flatMap(({ eip7702Auth }) => (eip7702Auth === undefined ? [] : [eip7702Auth])),
      },
      noise,
    )
    return prices.kind === 'op-stack' ? flzLength(transaction) : brotliLength(transaction, prices)
  }
}

const unitOf = (prices: Prices): string =>
  prices.kind === 'op-stack' ? 'flz' : `brotli ${prices.compressionLevel}`

const noiseAddress = (noise: Noise): Address => noise(20)

/**
 * The operation as no compressor makes it smaller, whatever its signatures and numbers will be. A paymaster's stand-in
 * signature has the zero bytes of the real data (ERC-7677), and its others say nothing about the real ones.
 */
function densest(op: UserOperation, noise: Noise): UserOperation {
  const fill = noise(op.paymasterData.length / 2 - 1)
  const paymasterData = op.paymasterData.replace(/[0-9a-f]{2}/gi, (byte, at: number) =>
    byte === '00' ? byte : fill.slice(at, at + 2),
  )
  return { ...withStandIns(op, noise), paymasterData: paymasterData as Hex }
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by
}
