import type { Address, Hex } from 'viem'
import type { DepositInfo } from '../types/entity.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { NodeClient, ReadAt } from '../types/ports/chain.ts'
import type { StateOverrides } from '../types/ports/simulator.ts'
import { type CallOutcome, type CallRequest, ethCall } from './eth-call.ts'
import { readDepositInfo } from './read-deposit-info.ts'

/** What EIP-7702 asks about an account. */
export type Authority = { code: Hex; nonce: bigint }

/** A chain at one block, as whoever judges an operation asks it. Everything throws Unavailable when it cannot tell. */
export type ChainView = {
  readonly chainId: number
  call(request: CallRequest, overrides: StateOverrides): Promise<CallOutcome>
  /** Of `account` at the EntryPoint of `version`. */
  depositInfoOf(account: Address, version: EntryPointVersion): Promise<DepositInfo>
  authority(account: Address): Promise<Authority>
}

/** The nodes' own view. Asks in the caller's tick. */
export function nodeView(node: NodeClient, at: ReadAt): ChainView {
  return {
    chainId: node.chainId,
    call: (request, overrides) => ethCall(node, request, at, overrides),
    depositInfoOf: (account, version) => readDepositInfo(account, version, { node, at }),
    async authority(account) {
      const [code, nonce] = await Promise.all([
        node.requestAt<Hex>('eth_getCode', [account], at),
        node.requestAt<Hex>('eth_getTransactionCount', [account], at),
      ])
      return { code, nonce: BigInt(nonce) }
    },
  }
}
