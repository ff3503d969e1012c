import { type Address, type Hash, type Hex, stringToHex } from 'viem'
import { entryPoint06Address, entryPoint07Address, entryPoint08Address } from 'viem/account-abstraction'
import { keccak256 } from '../base/keccak.ts'
import { eip7702Factory, type UserOperation } from './userop.ts'
import { addressWord, word } from './userop-encode.ts'
import { pack06, pack07, type UserOperationStruct07 } from './userop-pack.ts'

/** Of the words one after the other; a word is 64 hex digits without 0x. */
const hashWords = (...words: readonly string[]): string => keccak256(`0x${words.join('')}`).slice(2)
const hashOfNothing = keccak256('0x').slice(2)
/** Most operations have no initCode and no paymaster. */
const hashBytes = (bytes: Hex): string => (bytes === '0x' ? hashOfNothing : keccak256(bytes).slice(2))

/** keccak256(abi.encode(keccak256(fields), entryPoint, chainId)): 0.6 and 0.7. */
function hashWithEntryPoint(fields: readonly string[], entryPoint: Address, chainId: number): Hash {
  return `0x${hashWords(hashWords(...fields), addressWord(entryPoint), word(chainId))}`
}

export function hash06(op: UserOperation, chainId: number): Hash {
  const struct = pack06(op)
  const fields = [
    addressWord(struct.sender),
    word(struct.nonce),
    hashBytes(struct.initCode),
    hashBytes(struct.callData),
    word(struct.callGasLimit),
    word(struct.verificationGasLimit),
    word(struct.preVerificationGas),
    word(struct.maxFeePerGas),
    word(struct.maxPriorityFeePerGas),
    hashBytes(struct.paymasterAndData),
  ]
  return hashWithEntryPoint(fields, entryPoint06Address, chainId)
}

function packedFields(struct: UserOperationStruct07): string[] {
  return [
    addressWord(struct.sender),
    word(struct.nonce),
    hashBytes(struct.initCode),
    hashBytes(struct.callData),
    struct.accountGasLimits.slice(2),
    word(struct.preVerificationGas),
    struct.gasFees.slice(2),
    hashBytes(struct.paymasterAndData),
  ]
}

export function hash07(op: UserOperation, chainId: number): Hash {
  return hashWithEntryPoint(packedFields(pack07(op)), entryPoint07Address, chainId)
}

const textHash = (text: string): string => hashBytes(stringToHex(text))
const domainTypeHash = textHash(
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)',
)
const packedUserOpTypeHash = textHash(
  'PackedUserOperation(address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData)',
)
const domainPrefix = [domainTypeHash, textHash('ERC4337'), textHash('1')]
const domainSeparators = new Map<number, string>()

function domainSeparator08(chainId: number): string {
  const known = domainSeparators.get(chainId)
  if (known !== undefined) return known
  const separator = hashWords(...domainPrefix, word(chainId), addressWord(entryPoint08Address))
  domainSeparators.set(chainId, separator)
  return separator
}

/** EIP-712 since 0.8. The marker factory stands for the delegate that the sender has when the bundle runs. */
export function hash08(op: UserOperation, chainId: number, delegate = op.eip7702Auth?.address): Hash {
  const packed = pack07(op)
  const marked = op.factory === eip7702Factory && delegate !== undefined
  const hashed = marked ? { ...packed, initCode: `${delegate}${op.factoryData.slice(2)}` as const } : packed
  const struct = hashWords(packedUserOpTypeHash, ...packedFields(hashed))
  return `0x${hashWords('1901', domainSeparator08(chainId), struct)}`
}
