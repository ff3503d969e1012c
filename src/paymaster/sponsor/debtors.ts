import { type Address, type Hash, type Hex, isAddressEqual, parseAbi, slice, toEventSelector } from 'viem'
import { Unavailable } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { PaymasterStorePort } from '../../types/ports/paymaster-store.ts'
import type { IndexedEvent } from '../../types/ports/store.ts'
import { PaymasterError } from '../paymaster-error.ts'

/** Senders whose operation a token paymaster of a chain has paid for, without being paid. */
export type Debtors = {
  /** @throws PaymasterError for one of them */
  requireNone(sender: Address): void
  /** Learns, for good, from the events of canonical blocks, in any order and as often as one likes. @throws Unavailable */
  look(
    events: readonly Pick<IndexedEvent, 'paymaster' | 'success' | 'sender' | 'hash' | 'transactionHash'>[],
  ): Promise<void>
}

/** Each has cost us an operation; beyond this many the first are forgiven. */
const most = 100_000

const [sponsored] = parseAbi([
  'event UserOperationSponsored(bytes32 indexed userOpHash, address indexed token, uint256 tokenAmount, uint256 tokenPerNative)',
])
const sponsoredTopic = toEventSelector(sponsored)

type Receipt = { logs: readonly { address: Address; topics: readonly Hex[]; data: Hex }[] }

/** With those that the store knows. @throws Unavailable */
export async function openDebtors(
  { chainId, tokenPaymasters }: { chainId: number; tokenPaymasters: readonly Address[] },
  modules: { store: Pick<PaymasterStorePort, 'addDebtors' | 'debtors'>; node: NodeClient; log: Log },
): Promise<Debtors> {
  const { store, node, log } = modules
  const debtors = new Set(await store.debtors({ chainId, limit: most }))

  return {
    requireNone(sender) {
      if (!debtors.has(sender)) return
      throw new PaymasterError('refused', 'sender_left_unpaid', 'Sender has left an earlier operation unpaid')
    },

    async look(events) {
      for (const { paymaster, success, sender, hash, transactionHash } of events) {
        const isOurs = tokenPaymasters.some(
          (own) => paymaster !== undefined && isAddressEqual(own, paymaster),
        )
        if (!isOurs || success || debtors.has(sender)) continue
        if (await wasPaid(hash, transactionHash)) continue
        log.warn('operation left unpaid', { operation: hash, sender })
        await store.addDebtors({ chainId, senders: [sender] })
        debtors.add(sender)
        for (const first of debtors) {
          if (debtors.size <= most) break
          debtors.delete(first)
        }
      }
    },
  }

  /** Calls that revert are paid all the same when the tokens were approved before. */
  async function wasPaid(userOpHash: Hash, transactionHash: Hash): Promise<boolean> {
    const receipt = await node.request<Receipt | null>('eth_getTransactionReceipt', [transactionHash])
    if (receipt === null) throw new Unavailable(`no receipt of ${transactionHash}`)
    return receipt.logs.some(
      ({ address, topics, data }) =>
        tokenPaymasters.some((own) => isAddressEqual(own, address)) &&
        topics[0] === sponsoredTopic &&
        topics[1] === userOpHash &&
        BigInt(slice(data, 0, 32)) > 0n,
    )
  }
}
