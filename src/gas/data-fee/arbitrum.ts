import { brotliCompressSync, constants } from 'node:zlib'
import type { ArbitrumPrices } from '../../types/ports/data-fee.ts'

/** Units of a compressed byte: what a byte of calldata costs on L1. */
const unitsPerByte = 16n

/** log2 of the window that Nitro compresses with, whatever the level */
const windowBits = 22

/** Bytes of a transaction as ArbOS counts them. */
export function brotliLength(data: Uint8Array, { compressionLevel }: ArbitrumPrices): number {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = constants
  const params = { [BROTLI_PARAM_QUALITY]: compressionLevel, [BROTLI_PARAM_LGWIN]: windowBits }
  return brotliCompressSync(data, { params }).length
}

/** wei that a transaction of this compressed length is charged */
export function arbitrumDataFee(brotliLength: number, prices: ArbitrumPrices): bigint {
  return BigInt(brotliLength) * unitsPerByte * prices.pricePerUnit
}
