import type { Address, Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { LimitExceeded } from '../../../base/errors.ts'
import { KeyedMutex } from '../../../base/queue.ts'
import type {
  BundleEvent,
  OpenBundle,
  RelayerReport,
  SubmitterChain,
} from '../../../types/ports/submitter.ts'
import type { WalletAnswer, WalletOrder } from '../../../types/ports/wallets.ts'
import { type ChainModules, type ChainSubmitter, openChain, readHead } from '../chain-submitter.ts'
import { relayingByNodes, senderByNodes } from '../senders/by-nodes.ts'
import type { Slot } from '../slot.ts'
import { RelayerNotIdle } from '../submit.ts'
import { type Acceptance, createAcceptance, type Listening } from './acceptance.ts'
import { committedFrom, sameCall } from './open-calls.ts'

/** Transactions of a wallet that may wait for a block at once: as many as geth queues for an account (accountqueue). */
const depth = 64
/** ms after which a caller may try again: about a block */
const fullRetryAfter = 5000
/** times the market's price that a transaction may come to cost before it waits for a better one */
const feeHeadroom = 10n

/** A tenant's wallet on one chain: a nonce line like a relayer's, with many transactions under way. */
export type Wallet = Pick<ChainSubmitter, 'onHead' | 'close'> & {
  send(order: WalletOrder): Promise<WalletAnswer>
  adopt(key: Hex): void
  /** Nothing of it can change any more by itself. */
  isSettled(): boolean
  report(): readonly RelayerReport[]
}

/**
 * Journaled before it is sent, sent again as it is after a crash, replaced when it is stuck, followed through reorgs.
 * Without a key what the journal holds is only sent again. @throws Unavailable: nothing was changed
 */
export async function openWallet(
  {
    chain,
    address,
    key,
    journal,
  }: {
    chain: SubmitterChain
    address: Address
    key: Hex | undefined
    journal: readonly OpenBundle[]
  },
  modules: ChainModules,
): Promise<Wallet> {
  const { node, host } = modules
  const { chainId } = chain
  const acceptance: Acceptance = createAcceptance(senderByNodes(chain, modules))
  const exclusive = new KeyedMutex()
  const line = await openChain(
    {
      chain: {
        ...chain,
        ...{ relaying: relayingByNodes(chain), relayerKeys: key === undefined ? [] : [key] },
        ...{ minSignerBalance: 0n, funding: undefined, accessList: false },
      },
      journal,
      depth,
    },
    {
      ...modules,
      sender: acceptance.sender,
      host: {
        // One by one: the other thread's host has no fields to spread.
        journal: (argument) => host.journal(argument),
        settle: (argument) => host.settle(argument),
        fundingChanged: (argument) => host.fundingChanged(argument),
        bundleEvent,
        // Wallets are no relayers.
        relayersChanged: async () => {},
      },
    },
  )
  return {
    send,
    adopt: (given) => line.adopt(privateKeyToAccount(given)),
    isSettled: () => line.open().length === 0,
    report: line.reportAll,
    onHead: line.onHead,
    close: line.close,
  }

  async function bundleEvent(event: BundleEvent): Promise<void> {
    acceptance.note(event)
    await host.bundleEvent(event)
  }

  async function send(order: WalletOrder): Promise<WalletAnswer> {
    const started = await exclusive.run('send', () => start(order))
    if ('kind' in started) return started
    try {
      return { kind: 'accepted', transactionHash: await started.accepted() }
    } finally {
      started.end()
    }
  }

  /** One at a time, so that each sees what those before it may cost. Ends when the first sending has ended. */
  async function start(order: WalletOrder): Promise<WalletAnswer | Listening> {
    const open = line.open()
    const same = order.whileOpen === 'join' ? sameCall(order, open) : undefined
    if (same !== undefined) return join(same)
    if (open.filter(({ state }) => state.kind === 'pending').length >= depth) throw notReady()
    if (order.value + order.gasLimit * order.fees.maxFeePerGas > (await available())) return { kind: 'short' }
    const listening = acceptance.listen(order.id)
    try {
      await line.submit(bundleOrder(order))
      return listening
    } catch (error) {
      listening.end()
      const refusal = listening.refusal()
      if (refusal === 'unfunded') return { kind: 'short' }
      if (refusal === 'refused') return { kind: 'refused' }
      throw error instanceof RelayerNotIdle ? notReady() : error
    }
  }

  function join({ bundleId, versions }: Slot): WalletAnswer | Listening {
    const taken = versions.findLast(({ delivery }) => delivery === 'accepted')?.transaction
    return taken === undefined
      ? acceptance.listen(bundleId)
      : { kind: 'accepted', transactionHash: taken.hash }
  }

  /** wei, by balance and nonce of one block. @throws Unavailable */
  async function available(): Promise<bigint> {
    const at = await readHead(node)
    const [balance, nonce] = await Promise.all([
      node.requestAt<Hex>('eth_getBalance', [address], at),
      node.requestAt<Hex>('eth_getTransactionCount', [address], at),
    ])
    return BigInt(balance) - committedFrom(Number(nonce), line.open())
  }

  function bundleOrder({ id: bundleId, to, data, value, gasLimit, fees }: WalletOrder) {
    const highest = fees.maxFeePerGas * feeHeadroom
    return {
      ...{ chainId, bundleId, relayer: address, to, data, value, gasLimit, fees },
      ceiling: { maxFeePerGas: highest, maxPriorityFeePerGas: highest },
      ...{ operations: [], authorizations: [] },
    }
  }
}

/** Too much is under way, or a node has just said that the wallet cannot pay. */
const notReady = (): LimitExceeded =>
  new LimitExceeded('too many transactions of the wallet are under way', { retryAfterMs: fullRetryAfter })
