/** Hard bounds of a chain that a bundle transaction must keep. */
export type ChainCaps = {
  /** gas a transaction may ask for: EIP-7825, or less */
  transactionGas: bigint
  /** bytes of calldata */
  transactionBytes: number
}
