import { type Address, encodeFunctionData, type Hash, type Hex, parseAbi, parseGwei } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { Unavailable } from '../../src/base/errors.ts'
import { createLog } from '../../src/base/log.ts'
import { createMetrics } from '../../src/base/metrics.ts'
import { createSubmitter, type RunningSubmitter } from '../../src/bundler/submitter/submitter.ts'
import { createNodeClient } from '../../src/chain/client.ts'
import type { BlockRef, FeeQuote, Head } from '../../src/types/block.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import type {
  BundleEvent,
  BundleOrder,
  FundingView,
  OpenBundle,
  RelayerView,
  SubmitterChain,
  SubmitterHost,
} from '../../src/types/ports/submitter.ts'
import { type DevChain, rpc } from './devChain.ts'

const entryPoint = entryPoints['0.7'].address
const abi = parseAbi([
  'function depositTo(address) payable',
  'function withdrawTo(address,uint256)',
  'function incrementNonce(uint192)',
])

/** What a bundle is here: a call that needs no UserOperation. */
export const calls = {
  works: encodeFunctionData({ abi, functionName: 'incrementNonce', args: [1n] }),
  reverts: encodeFunctionData({ abi, functionName: 'withdrawTo', args: [entryPoint, 1n] }),
}

export const fees: FeeQuote = {
  baseFee: parseGwei('1'),
  maxFeePerGas: parseGwei('3'),
  maxPriorityFeePerGas: parseGwei('1'),
  legacy: false,
}

export const ether = 10n ** 18n

/** A key of its own with a balance. */
export async function fundedKey(chain: DevChain, balance = ether): Promise<{ key: Hex; address: Address }> {
  const key = generatePrivateKey()
  const { address } = privateKeyToAccount(key)
  await rpc(chain.url, 'anvil_setBalance', [address, `0x${balance.toString(16)}`])
  return { key, address }
}

let bundles = 0

export function order(relayer: Address, changes: Partial<BundleOrder> = {}): BundleOrder {
  bundles += 1
  return {
    chainId: 31337,
    bundleId: `bundle-${bundles}`,
    relayer,
    to: entryPoint,
    data: calls.works,
    gasLimit: 100_000n,
    fees,
    ceiling: { maxFeePerGas: ether, maxPriorityFeePerGas: ether },
    authorizations: [],
    operations: [`0x${bundles.toString(16).padStart(64, '0')}`],
    ...changes,
  }
}

/** The journal and the ears of the main thread, kept where a test can see them. */
export type HostRecord = SubmitterHost & {
  readonly events: BundleEvent[]
  readonly open: Map<string, OpenBundle>
  relayers: readonly RelayerView[]
  funding: FundingView | undefined
  /** While set, the store does not take journal entries. */
  refusing: boolean
  /** So many attempts to settle fail first. */
  settleFailures: number
  /** Resolves with the next event. */
  next(): Promise<BundleEvent>
  /** Resolves with the next event of a kind, or one that was told already. */
  told<Kind extends BundleEvent['kind']>(kind: Kind): Promise<Extract<BundleEvent, { kind: Kind }>>
}

export function recordHost(journal: readonly OpenBundle[] = []): HostRecord {
  const open = new Map(journal.map((bundle) => [bundle.bundleId, bundle]))
  const events: BundleEvent[] = []
  const waiting = new Set<() => void>()
  const host: HostRecord = {
    events,
    open,
    relayers: [],
    funding: undefined,
    refusing: false,
    settleFailures: 0,
    async journal({ transaction, ...terms }) {
      if (host.refusing) throw new Unavailable('store')
      const { bundleId } = transaction
      const before = open.get(bundleId) ?? { ...terms, transactions: [] }
      open.set(bundleId, { ...before, bundleId, transactions: [...before.transactions, transaction] })
    },
    async settle({ bundleId }) {
      if (host.settleFailures > 0) {
        host.settleFailures -= 1
        throw new Unavailable('store')
      }
      open.delete(bundleId)
    },
    async bundleEvent(event) {
      events.push(event)
      for (const check of waiting) check()
    },
    async relayersChanged({ relayers }) {
      host.relayers = relayers
    },
    async fundingChanged({ funding }) {
      host.funding = funding
    },
    next() {
      const count = events.length
      return new Promise((resolve) => {
        const check = () => {
          const event = events[count]
          if (event !== undefined) resolve(event)
        }
        waiting.add(check)
      })
    },
    told<Kind extends BundleEvent['kind']>(kind: Kind) {
      type Found = Extract<BundleEvent, { kind: Kind }>
      return new Promise<Found>((resolve) => {
        const check = () => {
          const found = events.find((event) => event.kind === kind)
          if (found !== undefined) resolve(found as Found)
        }
        waiting.add(check)
        check()
      })
    },
  }
  return host
}

/** How the way to the node fails for `eth_sendRawTransaction`. */
export type SendFault = 'none' | 'lost' | 'answer-lost'

type Faults = { sending: SendFault /** So many receipts cannot be read first. */; receipts: number }

export type Bench = {
  submitter: RunningSubmitter
  host: HostRecord
  faults: Faults
  /** Raw transactions that reached the node. */
  readonly sent: Hex[]
  /** Tells the submitter the newest block. */
  head(changes?: { removed?: readonly BlockRef[]; fees?: FeeQuote }): Promise<void>
  /** Mines a block and tells it. */
  mine(changes?: { fees?: FeeQuote }): Promise<void>
  /** Replaces the last blocks by empty ones and tells it. */
  reorg(depth: number): Promise<void>
  kinds(): BundleEvent['kind'][]
}

export async function startBench(
  chain: DevChain,
  keys: readonly Hex[],
  changes: Partial<SubmitterChain> & { journal?: readonly OpenBundle[]; relayTimeoutMs?: number } = {},
): Promise<Bench> {
  const { journal = [], relayTimeoutMs = 10_000, ...settings } = changes
  const host = recordHost(journal)
  const faults: Faults = { sending: 'none', receipts: 0 }
  const sent: Hex[] = []
  const context = { log: createLog({ level: 'silent' }), metrics: createMetrics() }
  const submitter = createSubmitter({
    host,
    log: context.log,
    now: Date.now,
    relayTimeoutMs,
    connect(nodes) {
      const client = createNodeClient(nodes, context)
      return {
        ...client,
        async request<Result>(method: string, params: readonly unknown[]) {
          const sending = method === 'eth_sendRawTransaction'
          if (sending && faults.sending === 'lost') throw new Unavailable('node')
          if (sending) sent.push(params[0] as Hex)
          if (method === 'eth_getTransactionReceipt' && faults.receipts > 0) {
            faults.receipts -= 1
            throw new Unavailable('node')
          }
          const result = await client.request<Result>(method, params)
          if (sending && faults.sending === 'answer-lost') throw new Unavailable('node')
          return result
        },
      }
    },
  })
  await submitter.open({ chain: chainSettings(chain, keys, settings), journal })

  async function head({ removed = [], fees: quote = fees }: Parameters<Bench['head']>[0] = {}) {
    const newest = await blockAt(chain, 'latest')
    await submitter.onHead({ chainId: chain.chainId, head: newest, removed, fees: quote })
  }

  return {
    submitter,
    host,
    faults,
    sent,
    head,
    kinds: () => host.events.map(({ kind }) => kind),
    async mine(given) {
      await rpc(chain.url, 'evm_mine')
      await head(given)
    },
    async reorg(depth) {
      const newest = await blockAt(chain, 'latest')
      const numbers = Array.from({ length: depth }, (_, back) => newest.number - back)
      const removed = await Promise.all(numbers.map((number) => blockAt(chain, number)))
      await rpc(chain.url, 'anvil_reorg', [depth, []])
      await head({ removed })
    },
  }
}

export function chainSettings(
  chain: DevChain,
  relayerKeys: readonly Hex[],
  changes: Partial<SubmitterChain> = {},
): SubmitterChain {
  return {
    chainId: chain.chainId,
    nodeUrls: [chain.url],
    relaying: { mode: 'classic', submitUrl: undefined, conditional: false },
    accessList: false,
    transactionGasCap: 16_777_216n,
    relayerKeys,
    minSignerBalance: ether / 100n,
    funding: undefined,
    multicall: '0xcA11bde05977b3631167028862bE2a173976CA11',
    reorgDepth: 4,
    maxFeeCeiling: undefined,
    replaceAfterBlocks: 2,
    nodeTimeout: 5000,
    maxNodeLag: 10_000,
    ...changes,
  }
}

export async function blockAt(chain: DevChain, at: number | 'latest'): Promise<Head> {
  const tag = at === 'latest' ? at : `0x${at.toString(16)}`
  const block = await rpc<Record<'number' | 'hash' | 'parentHash' | 'timestamp' | 'gasLimit', Hex>>(
    chain.url,
    'eth_getBlockByNumber',
    [tag, false],
  )
  return {
    number: Number(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: Number(block.timestamp),
    baseFeePerGas: undefined,
    gasLimit: BigInt(block.gasLimit),
  }
}

/** How many transactions of an account are in blocks. */
export async function nonceOf(chain: DevChain, address: Address): Promise<number> {
  return Number(await rpc<Hex>(chain.url, 'eth_getTransactionCount', [address, 'latest']))
}

/** Whether the node has it in a block, in its pool, or not at all. */
export async function placeOf(chain: DevChain, hash: Hash): Promise<'block' | 'pool' | 'nowhere'> {
  const found = await rpc<{ blockHash: Hash | null } | null>(chain.url, 'eth_getTransactionByHash', [hash])
  if (found === null) return 'nowhere'
  return found.blockHash === null ? 'pool' : 'block'
}
