import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  pad,
  slice,
  toEventSelector,
} from 'viem'
import { createLogScan } from '../../chain/log-scan.ts'
import { abi } from '../../contracts/paymaster/artifacts/SponsorPaymaster06.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { WalletSettings } from './settings.ts'

/** Sponsors' whitelists in the shared paymaster, as the chain has them. */
export type SharedList = {
  /** Those of `accounts` that are on it, or not. @throws Unavailable */
  which(sponsor: Address, accounts: readonly Address[], listed: boolean): Promise<readonly Address[]>
  /** All of a sponsor's, by the contract's events, the oldest first. @throws Unavailable */
  all(sponsor: Address): Promise<readonly Address[]>
}

const added = toEventSelector('WhitelistAdded(address,address)')
const removed = toEventSelector('WhitelistRemoved(address,address)')
/** bytes before an address in a topic */
const addressOffset = 12

/** What the events before block `next` amount to. */
type Known = { next: number; listed: readonly Address[] }

/** Blocks that are too deep for a reorg are read once: a list costs what is newer. */
export function createSharedList(
  paymaster: Address,
  { sponsorPaymasterSince, reorgDepth }: Pick<WalletSettings, 'sponsorPaymasterSince' | 'reorgDepth'>,
  { node }: { node: NodeClient },
): SharedList {
  const scan = createLogScan(node)
  const known = new Map<Address, Known>()

  return {
    async which(sponsor, accounts, listed) {
      const call = { abi, functionName: 'areWhitelisted' } as const
      const data = encodeFunctionData({ ...call, args: [sponsor, accounts] })
      const answer = await node.requestAt<Hex>('eth_call', [{ to: paymaster, data }], 'latest')
      const found = decodeFunctionResult({ ...call, data: answer })
      return accounts.filter((_, index) => found[index] === listed)
    },

    async all(sponsor) {
      const { next: from, listed } = known.get(sponsor) ?? { next: sponsorPaymasterSince, listed: [] }
      const head = Number(await node.request<Hex>('eth_blockNumber', []))
      const settled = Math.max(from, head - reorgDepth)
      const topics = [[added, removed], pad(sponsor)]
      const logs = await scan({ from, to: head, address: paymaster, topics })
      const isSettled = ({ blockNumber }: (typeof logs)[number]) => Number(blockNumber) < settled
      const old = apply(listed, logs.filter(isSettled))
      if ((known.get(sponsor)?.next ?? 0) < settled) known.set(sponsor, { next: settled, listed: old })
      return apply(
        old,
        logs.filter((log) => !isSettled(log)),
      )
    },
  }
}

/** Events of one list, in chain order. */
function apply(before: readonly Address[], logs: readonly { topics: readonly Hex[] }[]): readonly Address[] {
  const listed = new Set(before)
  for (const { topics } of logs) {
    const [event, , account = '0x'] = topics
    const address = getAddress(slice(account, addressOffset))
    if (event === added) listed.add(address)
    else listed.delete(address)
  }
  return [...listed]
}
