import {
  type Address,
  concatHex,
  type Hash,
  type Hex,
  keccak256,
  numberToHex,
  padHex,
  stringToHex,
} from 'viem'
import { entryPoint06Address, entryPoint07Address, entryPoint08Address } from 'viem/account-abstraction'
import { eip7702Factory, type UserOperation } from './userop.ts'
import { pack06, pack07, type UserOperationStruct07 } from './userop-pack.ts'

const word = (value: bigint): Hex => numberToHex(value, { size: 32 })
const addressWord = (address: Address): Hex => padHex(address.toLowerCase() as Hex, { size: 32 })

/** keccak256(abi.encode(keccak256(fields), entryPoint, chainId)): 0.6 and 0.7. */
function hashWithEntryPoint(fields: readonly Hex[], entryPoint: Address, chainId: number): Hash {
  return keccak256(concatHex([keccak256(concatHex(fields)), addressWord(entryPoint), word(BigInt(chainId))]))
}

export function hash06(op: UserOperation, chainId: number): Hash {
  const struct = pack06(op)
  const fields = [
    addressWord(struct.sender),
    word(struct.nonce),
    keccak256(struct.initCode),
    keccak256(struct.callData),
    word(struct.callGasLimit),
    word(struct.verificationGasLimit),
    word(struct.preVerificationGas),
    word(struct.maxFeePerGas),
    word(struct.maxPriorityFeePerGas),
    keccak256(struct.paymasterAndData),
  ]
  return hashWithEntryPoint(fields, entryPoint06Address, chainId)
}

function packedFields(struct: UserOperationStruct07): Hex[] {
  return [
    addressWord(struct.sender),
    word(struct.nonce),
    keccak256(struct.initCode),
    keccak256(struct.callData),
    struct.accountGasLimits,
    word(struct.preVerificationGas),
    struct.gasFees,
    keccak256(struct.paymasterAndData),
  ]
}

export function hash07(op: UserOperation, chainId: number): Hash {
  return hashWithEntryPoint(packedFields(pack07(op)), entryPoint07Address, chainId)
}

const textHash = (text: string): Hex => keccak256(stringToHex(text))
const domainTypeHash = textHash(
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)',
)
const packedUserOpTypeHash = textHash(
  'PackedUserOperation(address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData)',
)
const domainPrefix = concatHex([domainTypeHash, textHash('ERC4337'), textHash('1')])
const domainSeparators = new Map<number, Hex>()

function domainSeparator08(chainId: number): Hex {
  const known = domainSeparators.get(chainId)
  if (known !== undefined) return known
  const separator = keccak256(
    concatHex([domainPrefix, word(BigInt(chainId)), addressWord(entryPoint08Address)]),
  )
  domainSeparators.set(chainId, separator)
  return separator
}

/** EIP-712 since 0.8. The marker factory stands for the delegate that the sender has when the bundle runs. */
export function hash08(op: UserOperation, chainId: number, delegate = op.eip7702Auth?.address): Hash {
  const packed = pack07(op)
  const marked = op.factory === eip7702Factory && delegate !== undefined
  const hashed = marked ? { ...packed, initCode: concatHex([delegate, op.factoryData]) } : packed
  const struct = keccak256(concatHex([packedUserOpTypeHash, ...packedFields(hashed)]))
  return keccak256(concatHex(['0x1901', domainSeparator08(chainId), struct]))
}
