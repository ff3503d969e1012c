/** A file of the official state tests: by name, what goes in and what must come out, by hardfork. */
export type FixtureFile = Record<string, Fixture>

export type Fixture = {
  readonly env: {
    readonly currentCoinbase: string
    readonly currentGasLimit: string
    readonly currentNumber: string
    readonly currentTimestamp: string
    readonly currentBaseFee?: string
    readonly currentRandom?: string
    readonly currentExcessBlobGas?: string
  }
  readonly pre: Record<string, FixtureAccount>
  readonly transaction: FixtureTransaction
  readonly post: Record<string, readonly FixtureResult[]>
}

export type FixtureAccount = {
  readonly balance: string
  readonly nonce: string
  readonly code: string
  readonly storage: Record<string, string>
}

/** Lists hold alternatives, which a result names by index. */
export type FixtureTransaction = {
  readonly data: readonly string[]
  readonly gasLimit: readonly string[]
  readonly value: readonly string[]
  readonly accessLists?: readonly (FixtureAccessList | null)[]
  readonly nonce: string
  readonly sender: string
  /** Empty for a creation. */
  readonly to: string
  readonly gasPrice?: string
  readonly maxFeePerGas?: string
  readonly maxPriorityFeePerGas?: string
  readonly blobVersionedHashes?: readonly string[]
  readonly maxFeePerBlobGas?: string
}

export type FixtureAccessList = readonly {
  readonly address: string
  readonly storageKeys: readonly string[]
}[]

export type FixtureResult = {
  readonly indexes: { readonly data: number; readonly gas: number; readonly value: number }
  /** State root. */
  readonly hash: string
  /** keccak-256 of the RLP of the logs. */
  readonly logs: string
  /** Why the transaction is invalid: names, of which one is right, with | between. */
  readonly expectException?: string
}
