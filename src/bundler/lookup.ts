import { type Address, type Hash, type Hex, isAddressEqual } from 'viem'
import { InvalidParams } from '../base/errors.ts'
import { decodeHandleOps, entryPoints, versionAt } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { FeeHistory, FoundOperation, UserOperationReceipt } from '../types/ports/bundler.ts'
import type { HeadSource, NodeClient } from '../types/ports/chain.ts'
import type { PoolPort } from '../types/ports/pool.ts'
import type { IndexedEvent, OperationRecord, RawLog, RawReceipt, StorePort } from '../types/ports/store.ts'
import type { OperationStatus } from '../types/status.ts'
import type { UserOperation } from '../types/userop.ts'
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

export function createLookup(
  options: { chainId: number; receiptLookupRange: number },
  modules: Modules,
): Lookup {
  const { pools, store, node, heads } = modules
  const { chainId, receiptLookupRange } = options
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
      const to = await resolveBlock(newestBlock)
      const events = await eventsBetween(entryPoints[version].address, Math.max(0, to - blockCount + 1), to)
      const history: FeeHistory = { actualGasPrice: [], maxFeePerGas: [], maxPriorityFeePerGas: [] }
      const transactions = [...new Set(events.map((event) => event.transactionHash))]
      const operations = new Map(
        await Promise.all(transactions.map(async (hash) => [hash, await operationsOf(hash)] as const)),
      )
      for (const event of events) {
        const op = operations.get(event.transactionHash)?.find(isOf(event))
        if (op === undefined || event.actualGasUsed === 0n) continue
        history.actualGasPrice.push(event.actualGasCost / event.actualGasUsed)
        history.maxFeePerGas.push(op.maxFeePerGas)
        history.maxPriorityFeePerGas.push(op.maxPriorityFeePerGas)
      }
      return history
    },
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
    const from = Math.max(0, head.number - receiptLookupRange + 1)
    const near = (await isIndexed(from, head.number))
      ? undefined
      : (await modules.scan({ from, to: head.number, entryPoints: served, hash })).at(-1)
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

  /** Whether the index holds every block of the range. */
  async function isIndexed(from: number, to: number): Promise<boolean> {
    const blocks = await store.indexedBlocks({ chainId, limit: receiptLookupRange })
    const indexed = new Set(blocks.map((block) => block.number))
    for (let number = to; number >= from; number--) if (!indexed.has(number)) return false
    return true
  }

  async function resolveBlock(block: number | string): Promise<number> {
    const newest = heads.current?.number ?? 0
    if (typeof block === 'number') return Math.min(block, newest)
    if (block === 'latest' || block === 'pending') return newest
    const header = await node.request<{ number: Hex } | null>('eth_getBlockByNumber', [block, false])
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
