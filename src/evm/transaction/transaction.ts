import type { Word } from '../word.ts'

/** EIP-2930 */
export type AccessList = readonly { readonly address: Word; readonly slots: readonly Word[] }[]

/** EIP-7702: an account's consent to run the code of `delegate`, or none any more if that is 0. */
export type Authorization = {
  /** 0: on every chain */
  readonly chainId: bigint
  readonly delegate: Word
  readonly nonce: bigint
  /** Who signed; `undefined`: the signature is not valid */
  readonly authority: Word | undefined
}

/** A transaction of any type, its signature recovered. Wei and gas. */
export type Transaction = {
  readonly sender: Word
  /** `undefined`: it creates a contract */
  readonly to: Word | undefined
  readonly nonce: bigint
  readonly value: bigint
  readonly data: Uint8Array
  readonly gasLimit: bigint
  /** EIP-1559; of older types both fees are the gas price */
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly accessList?: AccessList
  /** EIP-4844; `maxFeePerGas` in wei a blob gas */
  readonly blobs?: { readonly hashes: readonly Word[]; readonly maxFeePerGas: bigint }
  /** EIP-7702 */
  readonly authorizations?: readonly Authorization[]
}
