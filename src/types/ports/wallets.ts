import type { Address, Hash, Hex } from 'viem'
import type { FeeQuote } from '../block.ts'

/** A transaction of a tenant's wallet. The sender of the order names it, so that its events find their way. */
export type WalletOrder = {
  chainId: number
  /** By `newWalletId` (types/wallet-id.ts). */
  id: string
  wallet: Address
  to: Address
  data: Hex
  /** wei */
  value: bigint
  gasLimit: bigint
  fees: FeeQuote
  /** What to do while the same call of the wallet waits for its block: send another, or answer with that one. */
  whileOpen: 'add' | 'join'
}

export type WalletAnswer =
  /** A node has it in its pool, or it is in a block. */
  | { kind: 'accepted'; transactionHash: Hash }
  /** The wallet cannot pay value and gas beside what is under way already: nothing was sent. */
  | { kind: 'short' }
  /** No node takes it as it is: it is forgotten. */
  | { kind: 'refused' }

/** Sends what tenants' wallets sign; a part of the submitter, where the keys are. */
export type WalletsPort = {
  /** Hands over the key of a wallet, once. @throws Unavailable when the chain is not open */
  openWallet(argument: { chainId: number; key: Hex }): Promise<void>
  /**
   * Signs with the wallet's next nonce, journals, sends. Its events are told by its `id`.
   * @throws LimitExceeded when too much of the wallet is under way: nothing was signed
   * @throws Unavailable: it may or may not be mined. Never to be ordered anew without a look; what was signed is sent
   * again as it is
   */
  sendFromWallet(order: WalletOrder): Promise<WalletAnswer>
}
