import { type Address, type Hash, type Hex, isAddressEqual } from 'viem'
import { InvalidParams } from '../base/errors.ts'
import { WorkQueue } from '../base/queue.ts'
import { NodeError } from '../chain/node-error.ts'
import { decodeHandleOps, entryPoints, versionAt } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { FeeHistory, FoundOperation, UserOperationReceipt } from '../types/ports/bundler.ts'
import type { HeadSource, NodeClient } from '../types/ports/chain.ts'
import type { PoolPort } from '../types/ports/pool.ts'
import type { IndexedEvent, OperationRecord, RawLog, RawReceipt, StorePort } from '../types/ports/store.ts'
import type { OperationStatus } from '../types/status.ts'
import type { UserOperation } from '../types/userop.ts'
import { createCoverage } from './coverage.ts'
import type { States } from './states.ts'

/** Answers questions about operations, from the index where it reaches, then from the node within `receiptLookupRange`, then from an explorer. */
export type Lookup = {
  find(hash: Hash): Promise<FoundOperation | undefined>
  receipt(hash: Hash): Promise<UserOperationReceipt | undefined>
  status(hash: Hash): Promise<OperationStatus | undefined>
  /** @throws InvalidParams when the range is beyond `receiptLookupRange` */
  feeHistory(
    version: EntryPointVersion,
    blockCount: number,
    newestBlock: number | string,
  ): Promise<FeeHistory>
}

type Modules = {
  pools: ReadonlyMap<EntryPointVersion, PoolPort>
  store: StorePort
  node: NodeClient
  heads: HeadSource
  states: States
  orphans: ReadonlySet<Hash>
  /** UserOperationEvents of a range of blocks by the node's logs, in chain order. */
  scan: (query: {
    from: number
    to: number
    entryPoints: readonly Address[]
    hash?: Hash
  }) => Promise<readonly IndexedEvent[]>
  /** The event of an operation from a block up to `before`, from where history reaches further; best effort. */
  older?: ((query: { hash: Hash; before: number }) => Promise<IndexedEvent | undefined>) | undefined
  logsOfOperation: (receipt: RawReceipt, event: IndexedEvent) => readonly RawLog[]
  revertReason: (receipt: RawReceipt, event: IndexedEvent) => string | undefined
}

/** Look-ups on the node for hashes that nobody knows, at once and waiting: strangers ask these, and each may scan logs. */
const searches = { concurrency: 8, capacity: 256, retryAfterMs: 1000 }
/** Fee histories at once and waiting: each may read hundreds of transactions. */
const histories = { concurrency: 2, capacity: 32, retryAfterMs: 1000 }
/** Transactions that a fee history reads at once: one HTTP request. */
const transactionsAtOnce = 100

export function createLookup(
  options: { chainId: number; receiptLookupRange: number },
  modules: Modules,
): Lookup {
  const { pools, store, node, heads } = modules
  const { chainId, receiptLookupRange } = options
  const isIndexed = createCoverage({ chainId, limit: receiptLookupRange }, { store, heads })
  const searchBudget = new WorkQueue(searches)
  const historyBudget = new WorkQueue(histories)
  const served = [...pools.keys()].map((version) => entryPoints[version].address)

  return {
    async find(hash) {
      const pooled = pooledEntry(hash)
      if (pooled !== undefined) return found(pooled.op, undefined)
      const record = await recordOf(hash)
      if (record !== undefined) {
        const { op, state } = record
        if (state.kind !== 'included' || modules.orphans.has(state.blockHash)) return found(op, undefined)
        const { transactionHash, blockNumber, blockHash } = state
        return found(op, { transactionHash, block: { number: blockNumber, hash: blockHash } })
      }
      const event = await findEvent(hash)
      const op = event && (await operationsOf(event.transactionHash)).find(isOf(event))
      return op && event ? found(op, event) : undefined
    },

    async receipt(hash) {
      const event = await findEvent(hash)
      if (event === undefined) return undefined
      const { transactionHash, block } = event
      const receipt =
        (await store.receipt({ chainId, transactionHash })) ?? (await receiptFromNode(transactionHash))
      if (receipt?.blockHash !== block.hash) return undefined
      return {
        event,
        receipt,
        logs: modules.logsOfOperation(receipt, event),
        confirmations: Math.max(0, (heads.current?.number ?? block.number) - block.number + 1),
        reason: modules.revertReason(receipt, event),
      }
    },

    async status(hash) {
      const record = await recordOf(hash)
      if (record === undefined) return undefined
      const { entryPoint, op, receivedAt, validationLevel, timestamps, state } = record
      const at = timestamps[state.kind] ?? receivedAt
      return { chainId, entryPoint, hash, sender: op.sender, state, at, validationLevel, timestamps }
    },

    async feeHistory(version, blockCount, newestBlock) {
      if (blockCount < 1 || blockCount > receiptLookupRange) {
        const message = `blockCount must be between 1 and ${receiptLookupRange}`
        throw new InvalidParams(message, { path: 'params[1]', maximum: receiptLookupRange })
      }
      return historyBudget.run(async () => {
        const to = await resolveBlock(newestBlock)
        const from = Math.max(0, to - blockCount + 1)
        return historyOf(await eventsBetween(entryPoints[version].address, from, to))
      })
    },
  }

  async function historyOf(events: readonly IndexedEvent[]): Promise<FeeHistory> {
    const history: FeeHistory = { actualGasPrice: [], maxFeePerGas: [], maxPriorityFeePerGas: [] }
    const transactions = [...new Set(events.map((event) => event.transactionHash))]
    const operations = new Map<Hash, readonly UserOperation[]>()
    for (let start = 0; start < transactions.length; start += transactionsAtOnce) {
      const some = transactions.slice(start, start + transactionsAtOnce)
      const read = await Promise.all(some.map(operationsOf))
      for (const [index, hash] of some.entries()) operations.set(hash, read[index] ?? [])
    }
    for (const event of events) {
      const op = operations.get(event.transactionHash)?.find(isOf(event))
      if (op === undefined || event.actualGasUsed === 0n) continue
      history.actualGasPrice.push(event.actualGasCost / event.actualGasUsed)
      history.maxFeePerGas.push(op.maxFeePerGas)
      history.maxPriorityFeePerGas.push(op.maxPriorityFeePerGas)
    }
    return history
  }

  /** As stored, with what the store may not have yet. */
  async function recordOf(hash: Hash): Promise<OperationRecord | undefined> {
    const newer = modules.states.newest(hash)
    const record = await store.operation({ chainId, hash })
    if (record === undefined || newer === undefined) return record
    const { state, at } = newer
    if (at < (record.timestamps[record.state.kind] ?? 0)) return record
    return { ...record, state, timestamps: { ...record.timestamps, [state.kind]: at } }
  }

  function pooledEntry(hash: Hash) {
    for (const pool of pools.values()) {
      const entry = pool.get(hash)
      if (entry !== undefined) return entry
    }
    return undefined
  }

  async function findEvent(hash: Hash): Promise<IndexedEvent | undefined> {
    const indexed = await store.event({ chainId, hash })
    if (indexed !== undefined) return modules.orphans.has(indexed.block.hash) ? undefined : indexed
    const head = heads.current
    // What is in the pool is in no block, so there is nothing to look for on the node.
    if (head === undefined || pooledEntry(hash) !== undefined) return undefined
    return searchBudget.run(() => search(hash, head.number))
  }

  /** Beyond the index: in the node's logs, then in older history. */
  async function search(hash: Hash, newest: number): Promise<IndexedEvent | undefined> {
    const from = Math.max(0, newest - receiptLookupRange + 1)
    const near = (await isIndexed(from, newest))
      ? undefined
      : (await modules.scan({ from, to: newest, entryPoints: served, hash })).at(-1)
    return near ?? (from > 0 ? modules.older?.({ hash, before: from - 1 }) : undefined)
  }

  async function eventsBetween(
    entryPoint: Address,
    from: number,
    to: number,
  ): Promise<readonly IndexedEvent[]> {
    if (await isIndexed(from, to)) return store.eventsBetween({ chainId, entryPoint, from, to })
    return modules.scan({ from, to, entryPoints: [entryPoint] })
  }

  async function resolveBlock(block: number | string): Promise<number> {
    const newest = heads.current?.number ?? 0
    if (typeof block === 'number') return Math.min(block, newest)
    if (block === 'latest' || block === 'pending') return newest
    const header = await node
      .request<{ number: Hex } | null>('eth_getBlockByNumber', [block, false])
      .catch((error) => {
        // Nodes without a consensus client, and chains without finality, refuse `safe` and `finalized`.
        if (error instanceof NodeError) return null
        throw error
      })
    if (header === null) throw new InvalidParams(`no block ${block}`, { path: 'params[2]' })
    return Number(header.number)
  }

  /** The operations in a mined handleOps transaction; none when it is another kind of call. */
  async function operationsOf(transactionHash: Hash): Promise<readonly UserOperation[]> {
    const transaction = await node.request<{ to: Address | null; input: Hex } | null>(
      'eth_getTransactionByHash',
      [transactionHash],
    )
    const version = transaction?.to ? versionAt(transaction.to) : undefined
    return !transaction || version === undefined ? [] : decodeHandleOps(version, transaction.input)
  }

  function receiptFromNode(transactionHash: Hash): Promise<RawReceipt | null> {
    return node.request<RawReceipt | null>('eth_getTransactionReceipt', [transactionHash])
  }
}

function found(op: UserOperation, inclusion: FoundOperation['inclusion']): FoundOperation {
  return {
    op,
    entryPoint: entryPoints[op.version].address,
    inclusion: inclusion && { transactionHash: inclusion.transactionHash, block: inclusion.block },
  }
}

/** An operation is included once for its sender and nonce: that tells it without its hash, which calldata may lack parts of. */
function isOf(event: IndexedEvent): (op: UserOperation) => boolean {
  return (op) => op.nonce === event.nonce && isAddressEqual(op.sender, event.sender)
}
