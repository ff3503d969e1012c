import { type Hash, stringToHex } from 'viem'
import { keccak256 } from '../../base/keccak.ts'
import type { UserOperation } from '../../types/userop.ts'
import { addressWord, word } from '../../types/userop-encode.ts'
import { pack06, pack07 } from '../../types/userop-pack.ts'
import { withoutSignature } from './terms.ts'

/**
 * Equal to our paymasters' `getHash`, which their signer signs by EIP-191: the whole operation with its paymaster,
 * gas limits and terms, but neither signature. `op.paymasterData` ends with a signature, be it a stub.
 */
export function paymasterHash(op: UserOperation, chainId: number): Hash {
  const packed = op.version === '0.6' ? pack06(op) : pack07(op)
  const gas =
    'gasFees' in packed
      ? [packed.accountGasLimits.slice(2), word(packed.preVerificationGas), packed.gasFees.slice(2)]
      : [
          word(packed.callGasLimit),
          word(packed.verificationGasLimit),
          word(packed.preVerificationGas),
          word(packed.maxFeePerGas),
          word(packed.maxPriorityFeePerGas),
        ]
  const words = [
    addressWord(packed.sender),
    word(packed.nonce),
    keccak256(packed.initCode).slice(2),
    keccak256(packed.callData).slice(2),
    ...gas,
    keccak256(withoutSignature(packed.paymasterAndData)).slice(2),
    word(chainId),
  ]
  return keccak256(`0x${words.join('')}`)
}

/** What is signed of it: EIP-191, version 0x45. */
export function signedHash(op: UserOperation, chainId: number): Hash {
  return keccak256(`${prefix}${paymasterHash(op, chainId).slice(2)}`)
}

const prefix = stringToHex('\x19Ethereum Signed Message:\n32')
