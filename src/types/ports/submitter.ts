import type { Address, Hash, Hex, SignedAuthorization } from 'viem'
import type { BlockRef, FeeQuote, Head } from '../block.ts'

/** What the submitter thread needs of a chain. Keys cross to that thread only. */
export type SubmitterChain = {
  chainId: number
  nodeUrls: readonly string[]
  /** ms that a node has for an answer */
  nodeTimeout: number
  /** ms that a node may be behind the others before it is left out */
  maxNodeLag: number
  relaying: Relaying
  /** An EIP-2930 access list goes with a bundle, where the node can make one. */
  accessList: boolean
  /** gas that a bundle transaction may ask for */
  transactionGasCap: bigint
  relayerKeys: readonly Hex[]
  minSignerBalance: bigint
  /** Multicall3, for balances and top-ups; used where it has code. */
  multicall: Address
  /** `undefined`: nobody tops the relayers up. */
  funding: Funding | undefined
  /** A mined transaction is watched for this many blocks, in case a reorg undoes it. */
  reorgDepth: number
  /** Highest maxFeePerGas that a replacement may offer, wei; `undefined` is without ceiling. */
  maxFeeCeiling: bigint | undefined
  /** Blocks without inclusion after which a transaction is replaced with higher fees. */
  replaceAfterBlocks: number
}

/** The account that tops up a chain's relayers; amounts in wei. */
export type Funding = {
  key: Hex
  /** A relayer with less is topped up… */
  below: bigint
  /** …to this. */
  to: bigint
  /** in any 24 hours */
  dailyLimit: bigint
  /** Versions of the top-ups that were signed in the last of them. */
  journaled: readonly JournaledTransaction[]
}

/** How signed transactions reach block builders. */
export type Relaying =
  /** `submitUrl` instead of the nodes; `conditional`: with what the bundle depends on (ERC-7796). */
  | { mode: 'classic'; submitUrl: string | undefined; conditional: boolean }
  /** `authKey` signs requests and holds nothing; `undefined` makes one up. */
  | (Relay & { mode: 'flashbots'; authKey: Hex | undefined })
  | (Relay & { mode: 'merkle' })
  | (Relay & { mode: 'kolibri'; apiKey: string | undefined })

/** Blocks without inclusion after which the nodes get the same transaction; `undefined` is never. */
export type Relay = { url: string; fallbackBlocks: number | undefined }

/** What a bundle's operations pay at most, wei per gas: above it the bundle does not pay for itself. */
export type FeeCeiling = Pick<FeeQuote, 'maxFeePerGas' | 'maxPriorityFeePerGas'>

/** What must still be so when the bundle is included (ERC-7796). Plain JSON: the journal keeps it. */
export type Conditions = {
  /** Values of storage slots, by account. */
  knownAccounts: { readonly [account: Address]: { readonly [slot: Hex]: Hex } }
  /** s since 1970 */
  timestampMax?: number
}

/** What a bundle is sent and replaced by, besides its transactions. */
export type BundleTerms = {
  operations: readonly Hash[]
  /** None for what was journaled before there was one, and for a gap. */
  ceiling?: FeeCeiling | undefined
  conditions?: Conditions | undefined
}

/** A bundle that passed its check, ready to be signed. */
export type BundleOrder = BundleTerms & {
  chainId: number
  bundleId: string
  relayer: Address
  /** The EntryPoint. */
  to: Address
  data: Hex
  gasLimit: bigint
  /** wei that goes along; none for a bundle */
  value?: bigint
  fees: FeeQuote
  ceiling: FeeCeiling
  authorizations: readonly SignedAuthorization[]
}

export type RelayerState = 'idle' | 'busy' | 'recovering' | 'low-balance'
export type RelayerView = { address: Address; state: RelayerState; balance: bigint; nextNonce: number }

/** A nonce that is not used up for good, with every version signed for it, oldest first. */
export type OpenTransaction = {
  bundleId: string
  nonce: number
  state: 'pending' | 'mined' | 'closing'
  /** how many are bound to it */
  operations: number
  versions: readonly (Pick<
    JournaledTransaction,
    'hash' | 'kind' | 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'createdAt'
  > & {
    /** what the nodes are known to have made of it */
    delivery: 'unsent' | 'unknown' | 'accepted' | 'refused'
  })[]
}
export type RelayerReport = RelayerView & { open: readonly OpenTransaction[] }

/** What keeps a relayer that needs it from being topped up. */
export type Shortage = 'none' | 'daily-limit' | 'funds'
/** The funding account; amounts in wei. */
export type FundingView = RelayerView & {
  /** signed for in the last 24 hours */
  spent: bigint
  dailyLimit: bigint
  shortage: Shortage
}
export type FundingReport = FundingView & { open: readonly OpenTransaction[] }

/** All that the submitter knows of a chain's accounts, for the operator. */
export type RelayersReport = {
  relayers: readonly RelayerReport[]
  funding: FundingReport | undefined
  /** tenants', those of which something is under way */
  wallets: readonly RelayerReport[]
}

/** A signed transaction, stored before it is sent. Every version of a nonce has its own. */
export type JournaledTransaction = {
  chainId: number
  bundleId: string
  relayer: Address
  nonce: number
  hash: Hash
  raw: Hex
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  kind: 'bundle' | 'cancel'
  /** ms since 1970 */
  createdAt: number
}

/** A nonce of a relayer that is not settled for good, with every version signed for it, oldest first. */
export type OpenBundle = BundleTerms & {
  bundleId: string
  transactions: readonly JournaledTransaction[]
}

/** Where a transaction was mined; the block was canonical when it was read. */
export type Inclusion = {
  transactionHash: Hash
  block: BlockRef
  reverted: boolean
  gasUsed: bigint
  effectiveGasPrice: bigint
  /** wei that the relayer paid: for gas, and on rollups for the data */
  cost: bigint
  /** wei that the EntryPoint charged its operations and gave to the beneficiary */
  revenue: bigint
}

/** What became of a bundle. Operations are bound to its nonce until one of the last three. */
export type BundleEvent = { chainId: number; bundleId: string; operations: readonly Hash[] } & (
  | { kind: 'submitted'; transactionHash: Hash }
  /** The market asks for more than its operations pay: it waits for the price to come back. */
  | { kind: 'held'; transactionHash: Hash }
  /** In a block. `reverted` leaves its operations unexecuted and free. */
  | ({ kind: 'mined' } & Inclusion)
  /** A reorg took it out; it has been sent again as it was. */
  | { kind: 'unmined'; transactionHash: Hash }
  /** Its nonce was used up by another transaction, or it could never be sent: operations are free again. */
  | { kind: 'abandoned'; reason: string /** wei that a mined cancellation cost */; cost?: bigint }
  /** Deeper than the reorg depth: forgotten. */
  | { kind: 'finalized'; transactionHash: Hash }
)

export type SubmitterPort = {
  /** Recovers what the journal holds open, then serves. */
  open(argument: { chain: SubmitterChain; journal: readonly OpenBundle[] }): Promise<readonly RelayerView[]>
  /**
   * Signs, journals, sends. An order without an answer still ends in events: `submitted`, or `abandoned` when nothing
   * was signed. @throws TandemError when the relayer is not idle: nothing was signed
   */
  submit(order: BundleOrder): Promise<{ transactionHash: Hash }>
  onHead(argument: {
    chainId: number
    head: Head
    removed: readonly BlockRef[]
    fees: FeeQuote
  }): Promise<void>
  /** @throws Unavailable when the chain is not open */
  report(argument: { chainId: number }): Promise<RelayersReport>
  /** Ends when nothing is being signed or sent; open transactions stay in the journal. */
  drain(argument: undefined): Promise<void>
}

/** What the submitter asks of the main thread. */
export type SubmitterHost = {
  /** Resolves after the store committed it. */
  journal(argument: BundleTerms & { transaction: JournaledTransaction }): Promise<void>
  /** Never to be rebroadcast: it was refused for good, or its nonce is settled. */
  settle(argument: { chainId: number; bundleId: string }): Promise<void>
  bundleEvent(event: BundleEvent): Promise<void>
  relayersChanged(argument: { chainId: number; relayers: readonly RelayerView[] }): Promise<void>
  fundingChanged(argument: { chainId: number; funding: FundingView }): Promise<void>
}

/** A signed transaction on its way. */
export type Sending = {
  transaction: JournaledTransaction
  conditions: Conditions | undefined
  /** The newest block. */
  head: number
  /** Blocks since the first version of its nonce was sent. */
  waited: number
}

/** How a signed transaction reaches block builders: one small sender for each `relayingMode`. */
export type Sender = {
  /** @throws NodeError or RelayRefusal when it was refused, Unavailable when it may or may not have arrived */
  send(sending: Sending): Promise<void>
}
