import { type Hex, hexToBigInt, numberToHex, type SignedAuthorization, toHex } from 'viem'
import type { BlockEnvironment } from '../../../src/evm/environment.ts'
import { rpc } from '../../support/devChain.ts'
import type { Changes } from './mirror.ts'

/** What is sent, as both sides take it. Wei and gas. */
export type Sent = {
  from: Hex
  to: Hex | undefined
  data: Hex
  value: bigint
  gas: bigint
  nonce: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  accessList: { address: Hex; storageKeys: Hex[] }[]
  authorizations: SignedAuthorization[]
}

/** What became of it, in words that can be compared. */
export type Fate = {
  status: 'success' | 'failure'
  gasUsed: string
  output: string
  logs: readonly string[]
  changes: Changes
}

export type MinedBlock = {
  environment: BlockEnvironment
  parentHash: bigint
  /** In the order of the block. */
  transactions: { sent: Sent; fate: Fate }[]
  /** Those that no block may contain. */
  refused: Sent[]
}

type WireBlock = {
  number: Hex
  timestamp: Hex
  gasLimit: Hex
  baseFeePerGas: Hex
  miner: Hex
  mixHash: Hex
  parentHash: Hex
  transactions: Hex[]
}
type WireReceipt = {
  transactionHash: Hex
  status: Hex
  gasUsed: Hex
  logs: { address: Hex; topics: Hex[]; data: Hex }[]
}
type WireAccount = { balance?: Hex; nonce?: number; code?: Hex; storage?: Record<Hex, Hex> }
type WireDiff = { pre: Record<Hex, WireAccount>; post: Record<Hex, WireAccount> }

/** Blob gas of a chain without blobs. */
const leastBlobFee = 1n

/** Mines what the node takes of `sent` as one block. */
export async function mine(url: string, sent: readonly Sent[]): Promise<MinedBlock> {
  const hashes = new Map<Sent, Hex | undefined>()
  for (const transaction of sent) {
    // What it refuses at once is as good as what it leaves out of the block.
    const hash = rpc<Hex>(url, 'eth_sendTransaction', [wire(transaction)]).catch(() => undefined)
    hashes.set(transaction, await hash)
  }
  await rpc(url, 'evm_mine')
  const block = await rpc<WireBlock>(url, 'eth_getBlockByNumber', ['latest', false])
  const mined = [...hashes].filter(([, hash]) => hash !== undefined && block.transactions.includes(hash))
  const byHash = new Map(mined.map(([transaction, hash]) => [hash, transaction]))
  const transactions = await Promise.all(
    block.transactions.map(async (hash) => {
      const known = byHash.get(hash)
      if (known === undefined) throw new Error(`${hash} is in the block, and nobody sent it`)
      return { sent: known, fate: await fateOf(url, hash) }
    }),
  )
  const refused = sent.filter((transaction) => !mined.some(([included]) => included === transaction))
  const parentHash = hexToBigInt(block.parentHash)
  return { environment: environmentOf(block), parentHash, transactions, refused }
}

function environmentOf(block: WireBlock): BlockEnvironment {
  return {
    number: hexToBigInt(block.number),
    timestamp: hexToBigInt(block.timestamp),
    gasLimit: hexToBigInt(block.gasLimit),
    baseFee: hexToBigInt(block.baseFeePerGas),
    blobBaseFee: leastBlobFee,
    coinbase: hexToBigInt(block.miner),
    prevRandao: hexToBigInt(block.mixHash),
  }
}

function wire({ from, to, data, value, gas, nonce, maxFeePerGas, maxPriorityFeePerGas, ...lists }: Sent) {
  const { accessList, authorizations } = lists
  const authorizationList = authorizations.map(wireAuthorization)
  return {
    from,
    ...(to && { to }),
    data,
    value: toHex(value),
    gas: toHex(gas),
    nonce: toHex(nonce),
    maxFeePerGas: toHex(maxFeePerGas),
    maxPriorityFeePerGas: toHex(maxPriorityFeePerGas),
    accessList,
    ...(authorizationList.length > 0 && { authorizationList }),
  }
}

export function wireAuthorization({ address, chainId, nonce, r, s, yParity }: SignedAuthorization) {
  const numbers = {
    chainId: numberToHex(chainId),
    nonce: numberToHex(nonce),
    yParity: numberToHex(yParity ?? 0),
  }
  return { address, r, s, ...numbers }
}

async function fateOf(url: string, hash: Hex): Promise<Fate> {
  const trace = <Result>(tracer: string, tracerConfig: object) =>
    rpc<Result>(url, 'debug_traceTransaction', [hash, { tracer, tracerConfig }])
  const [receipt, diff, call] = await Promise.all([
    rpc<WireReceipt>(url, 'eth_getTransactionReceipt', [hash]),
    trace<WireDiff>('prestateTracer', { diffMode: true }),
    trace<{ output?: Hex }>('callTracer', { onlyTopCall: true }),
  ])
  return {
    status: receipt.status === '0x1' ? 'success' : 'failure',
    gasUsed: String(hexToBigInt(receipt.gasUsed)),
    output: call.output?.slice(2) ?? '',
    logs: receipt.logs.map(({ address, topics, data }) => [address, ...topics, data].join(' ')),
    changes: changesOf(diff),
  }
}

function changesOf({ pre, post }: WireDiff): Changes {
  const changes = new Map<string, string>()
  for (const address of new Set([...keys(pre), ...keys(post)])) {
    const [before = {}, after] = [pre[address], post[address]]
    if (after === undefined) {
      changes.set(`${address} deleted`, 'yes')
      continue
    }
    const set = (what: string, old: bigint | string, value: bigint | string | undefined) => {
      if (value !== undefined && value !== old) changes.set(`${address} ${what}`, String(value))
    }
    set('nonce', BigInt(before.nonce ?? 0), after.nonce === undefined ? undefined : BigInt(after.nonce))
    set(
      'balance',
      BigInt(before.balance ?? 0),
      after.balance === undefined ? undefined : BigInt(after.balance),
    )
    set('code', before.code?.slice(2) ?? '', after.code?.slice(2))
    // A slot that became zero is missing afterwards.
    for (const slot of new Set([...keys(before.storage ?? {}), ...keys(after.storage ?? {})])) {
      const [old, value] = [before.storage?.[slot] ?? '0x0', after.storage?.[slot] ?? '0x0']
      set(`slot ${hex(slot)}`, hex(old), hex(value))
    }
  }
  return changes
}

const hex = (value: Hex) => BigInt(value).toString(16)

function keys(record: Record<Hex, unknown>): Hex[] {
  return Object.keys(record) as Hex[]
}
