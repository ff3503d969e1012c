import { type Address, encodeFunctionData, type Hex } from 'viem'
import { entryPoints } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { NodeClient, ReadAt } from '../types/ports/chain.ts'
import type { StateOverrides } from '../types/ports/simulator.ts'
import { type CallOutcome, type CallRequest, ethCall } from './eth-call.ts'

/** What EIP-7702 asks about an account. */
export type Authority = { code: Hex; nonce: bigint }

/** A chain at one block, as whoever judges an operation asks it. Everything throws Unavailable when it cannot tell. */
export type ChainView = {
  readonly chainId: number
  call(request: CallRequest, overrides: StateOverrides): Promise<CallOutcome>
  /** wei of `account` at the EntryPoint of `version` */
  depositOf(account: Address, version: EntryPointVersion): Promise<bigint>
  authority(account: Address): Promise<Authority>
}

/** The nodes' own view. Asks in the caller's tick. */
export function nodeView(node: NodeClient, at: ReadAt): ChainView {
  return {
    chainId: node.chainId,
    call: (request, overrides) => ethCall(node, request, at, overrides),
    async depositOf(account, version) {
      const { address, abi } = entryPoints[version]
      const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [account] })
      return BigInt(await node.requestAt<Hex>('eth_call', [{ to: address, data }], at))
    },
    async authority(account) {
      const [code, nonce] = await Promise.all([
        node.requestAt<Hex>('eth_getCode', [account], at),
        node.requestAt<Hex>('eth_getTransactionCount', [account], at),
      ])
      return { code, nonce: BigInt(nonce) }
    },
  }
}
