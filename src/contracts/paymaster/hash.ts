import { concatHex, type Hash, type Hex, keccak256, numberToHex, padHex } from 'viem'
import type { UserOperation } from '../../types/userop.ts'
import { pack06, pack07 } from '../../types/userop-pack.ts'
import { withoutSignature } from './terms.ts'

const word = (value: bigint): Hex => numberToHex(value, { size: 32 })

/**
 * Equal to our paymasters' `getHash`, which their signer signs by EIP-191: the whole operation with its paymaster,
 * gas limits and terms, but neither signature. `op.paymasterData` ends with a signature, be it a stub.
 */
export function paymasterHash(op: UserOperation, chainId: number): Hash {
  const packed = op.version === '0.6' ? pack06(op) : pack07(op)
  const gas =
    'gasFees' in packed
      ? [packed.accountGasLimits, word(packed.preVerificationGas), packed.gasFees]
      : [
          word(packed.callGasLimit),
          word(packed.verificationGasLimit),
          word(packed.preVerificationGas),
          word(packed.maxFeePerGas),
          word(packed.maxPriorityFeePerGas),
        ]
  return keccak256(
    concatHex([
      padHex(packed.sender, { size: 32 }),
      word(packed.nonce),
      keccak256(packed.initCode),
      keccak256(packed.callData),
      ...gas,
      keccak256(withoutSignature(packed.paymasterAndData)),
      word(BigInt(chainId)),
    ]),
  )
}
