import { type Static, Type } from '@sinclair/typebox'
import type { PaymasterReport } from '../../types/ports/operator.ts'
import { address, weiText } from './quantities.ts'

/** `GET /chains/<id>/paymasters`: those that are watched, and those of pooled operations, a page of them */
export const paymastersSchema = Type.Object({
  total: Type.Integer(),
  offset: Type.Integer(),
  paymasters: Type.Array(
    Type.Object({
      paymaster: address,
      entryPoint: address,
      deposit: weiText,
      watched: Type.Boolean(),
      /** below minPaymasterDeposit */
      low: Type.Boolean(),
    }),
  ),
})

export function formatPaymasters(
  all: readonly PaymasterReport[],
  { offset, limit }: { offset: number; limit: number },
): Static<typeof paymastersSchema> {
  return {
    total: all.length,
    offset,
    paymasters: all.slice(offset, offset + limit).map(({ isWatched, isLow, deposit, ...paymaster }) => ({
      ...paymaster,
      deposit: deposit.toString(),
      watched: isWatched,
      low: isLow,
    })),
  }
}
