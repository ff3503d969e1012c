import { type Static, Type } from '@sinclair/typebox'
import type {
  FundingReport,
  OpenTransaction,
  RelayerReport,
  RelayersReport,
} from '../../types/ports/submitter.ts'
import { address, hash, inSeconds, seconds, weiText } from './quantities.ts'

const openSchema = Type.Object({
  bundleId: Type.String(),
  nonce: Type.Integer(),
  state: Type.String(),
  operations: Type.Integer(),
  /** since the first version was signed; null before there is one */
  age: Type.Union([Type.Null(), seconds]),
  versions: Type.Array(
    Type.Object({
      hash,
      kind: Type.String(),
      delivery: Type.String(),
      maxFeePerGas: weiText,
      maxPriorityFeePerGas: weiText,
      age: seconds,
    }),
  ),
})

const relayerSchema = Type.Object({
  address,
  state: Type.String(),
  balance: weiText,
  nextNonce: Type.Integer(),
  open: Type.Array(openSchema),
})

const fundingSchema = Type.Object({
  ...relayerSchema.properties,
  /** in the last 24 hours */
  spent: weiText,
  dailyLimit: weiText,
  shortage: Type.String(),
})

/** `GET /chains/<id>/relayers`; `funding` is the account that tops them up, `wallets` those of sponsors that are sending */
export const relayersSchema = Type.Object({
  relayers: Type.Array(relayerSchema),
  funding: Type.Union([Type.Null(), fundingSchema]),
  wallets: Type.Array(relayerSchema),
})

/** @param now ms since 1970 */
export function formatRelayers(
  { relayers, funding, wallets }: RelayersReport,
  now: number,
): Static<typeof relayersSchema> {
  return {
    relayers: relayers.map((relayer) => formatRelayer(relayer, now)),
    funding: funding === undefined ? null : formatFunding(funding, now),
    wallets: wallets.map((wallet) => formatRelayer(wallet, now)),
  }
}

function formatFunding(funding: FundingReport, now: number): Static<typeof fundingSchema> {
  const { spent, dailyLimit, shortage } = funding
  return {
    ...formatRelayer(funding, now),
    ...{ spent: spent.toString(), dailyLimit: dailyLimit.toString(), shortage },
  }
}

function formatRelayer(
  { address, state, balance, nextNonce, open }: RelayerReport,
  now: number,
): Static<typeof relayerSchema> {
  return {
    ...{ address, state, nextNonce },
    balance: balance.toString(),
    open: open.map((transaction) => formatOpen(transaction, now)),
  }
}

function formatOpen(
  { bundleId, nonce, state, operations, versions }: OpenTransaction,
  now: number,
): Static<typeof openSchema> {
  const [first] = versions
  return {
    ...{ bundleId, nonce, state, operations },
    age: first === undefined ? null : inSeconds(now - first.createdAt),
    versions: versions.map(({ hash, kind, delivery, maxFeePerGas, maxPriorityFeePerGas, createdAt }) => ({
      ...{ hash, kind, delivery },
      maxFeePerGas: maxFeePerGas.toString(),
      maxPriorityFeePerGas: maxPriorityFeePerGas.toString(),
      age: inSeconds(now - createdAt),
    })),
  }
}
