import type { Address } from 'viem'

/**
 * Who sends a bundle that is only simulated, unless it matters: no contract, which 0.8 asks for, and nobody whom an
 * operation calls, since the sender of a transaction is warm (EIP-2929). It reads "tandem's bundler".
 */
export const bundlerAddress: Address = '0x0000000074616e64656d27732062756e646c6572'
