import {
  type Abi,
  type Address,
  concatHex,
  decodeFunctionData,
  encodeFunctionData,
  getAddress,
  type Hash,
  type Hex,
  isAddressEqual,
  keccak256,
  numberToHex,
  padHex,
  size,
  slice,
  stringToHex,
} from 'viem'
import {
  entryPoint06Abi,
  entryPoint06Address,
  entryPoint07Abi,
  entryPoint07Address,
  entryPoint08Abi,
  entryPoint08Address,
} from 'viem/account-abstraction'
import { eip7702Factory, type UserOperation } from './userop.ts'

export type EntryPointVersion = '0.6' | '0.7' | '0.8'

/** The struct that handleOps of 0.6 takes. */
export type UserOperationStruct06 = {
  sender: Address
  nonce: bigint
  initCode: Hex
  callData: Hex
  callGasLimit: bigint
  verificationGasLimit: bigint
  preVerificationGas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  paymasterAndData: Hex
  signature: Hex
}

/** PackedUserOperation, from 0.7 on. */
export type UserOperationStruct07 = {
  sender: Address
  nonce: bigint
  initCode: Hex
  callData: Hex
  accountGasLimits: Hex
  preVerificationGas: bigint
  gasFees: Hex
  paymasterAndData: Hex
  signature: Hex
}

/** All in which one EntryPoint version differs from another. Above this table there is one path. */
export type EntryPointSpec = {
  version: EntryPointVersion
  /** The same on every chain (deterministic deployment). */
  address: Address
  abi: Abi
  /** The struct of this version's functions. */
  pack(op: UserOperation): UserOperationStruct06 | UserOperationStruct07
  unpack(struct: never): UserOperation
  /**
   * Equal to the contract's getUserOpHash. In 0.8 the delegate of an EIP-7702 sender is part of it: the one that its
   * authorization names, unless the caller knows the `delegate` that it has without one.
   */
  hash(op: UserOperation, chainId: number, delegate?: Address): Hash
}

const word = (value: bigint): Hex => numberToHex(value, { size: 32 })
const addressWord = (address: Address): Hex => padHex(address.toLowerCase() as Hex, { size: 32 })
const half = (value: bigint): Hex => numberToHex(value, { size: 16 })

export function initCodeOf(op: UserOperation): Hex {
  return op.factory === undefined ? '0x' : concatHex([op.factory, op.factoryData])
}

function paymasterAndData06(op: UserOperation): Hex {
  return op.paymaster === undefined ? '0x' : concatHex([op.paymaster, op.paymasterData])
}

function paymasterAndData07(op: UserOperation): Hex {
  if (op.paymaster === undefined) return '0x'
  const limits = [half(op.paymasterVerificationGasLimit), half(op.paymasterPostOpGasLimit)]
  return concatHex([op.paymaster, ...limits, op.paymasterData])
}

function pack06(op: UserOperation): UserOperationStruct06 {
  return {
    sender: op.sender,
    nonce: op.nonce,
    initCode: initCodeOf(op),
    callData: op.callData,
    callGasLimit: op.callGasLimit,
    verificationGasLimit: op.verificationGasLimit,
    preVerificationGas: op.preVerificationGas,
    maxFeePerGas: op.maxFeePerGas,
    maxPriorityFeePerGas: op.maxPriorityFeePerGas,
    paymasterAndData: paymasterAndData06(op),
    signature: op.signature,
  }
}

function pack07(op: UserOperation): UserOperationStruct07 {
  return {
    sender: op.sender,
    nonce: op.nonce,
    initCode: initCodeOf(op),
    callData: op.callData,
    accountGasLimits: concatHex([half(op.verificationGasLimit), half(op.callGasLimit)]),
    preVerificationGas: op.preVerificationGas,
    gasFees: concatHex([half(op.maxPriorityFeePerGas), half(op.maxFeePerGas)]),
    paymasterAndData: paymasterAndData07(op),
    signature: op.signature,
  }
}

/** address ‖ data, or nothing: how initCode and paymasterAndData begin. */
function splitAddress(bytes: Hex): { address: Address | undefined; data: Hex } {
  if (size(bytes) < 20) return { address: undefined, data: '0x' }
  return { address: getAddress(slice(bytes, 0, 20)), data: size(bytes) === 20 ? '0x' : slice(bytes, 20) }
}

export function unpack06(struct: UserOperationStruct06): UserOperation {
  const { initCode, paymasterAndData, ...rest } = struct
  const factory = splitAddress(initCode)
  const paymaster = splitAddress(paymasterAndData)
  return {
    version: '0.6',
    ...rest,
    factory: factory.address,
    factoryData: factory.data,
    paymaster: paymaster.address,
    paymasterVerificationGasLimit: 0n,
    paymasterPostOpGasLimit: 0n,
    paymasterData: paymaster.data,
    eip7702Auth: undefined,
  }
}

const unpack07 =
  (version: '0.7' | '0.8') =>
  (struct: UserOperationStruct07): UserOperation => {
    const { initCode, accountGasLimits, gasFees, paymasterAndData, ...rest } = struct
    const factory = splitAddress(initCode)
    const paymaster = size(paymasterAndData) < 52 ? undefined : getAddress(slice(paymasterAndData, 0, 20))
    const paymasterField = (start: number, end: number) =>
      paymaster === undefined ? 0n : BigInt(slice(paymasterAndData, start, end))
    return {
      version,
      ...rest,
      factory: factory.address,
      factoryData: factory.data,
      callGasLimit: BigInt(slice(accountGasLimits, 16, 32)),
      verificationGasLimit: BigInt(slice(accountGasLimits, 0, 16)),
      maxFeePerGas: BigInt(slice(gasFees, 16, 32)),
      maxPriorityFeePerGas: BigInt(slice(gasFees, 0, 16)),
      paymaster,
      paymasterVerificationGasLimit: paymasterField(20, 36),
      paymasterPostOpGasLimit: paymasterField(36, 52),
      paymasterData:
        paymaster === undefined || size(paymasterAndData) === 52 ? '0x' : slice(paymasterAndData, 52),
      eip7702Auth: undefined,
    }
  }

/** keccak256(abi.encode(keccak256(fields), entryPoint, chainId)): 0.6 and 0.7. */
function hashWithEntryPoint(fields: readonly Hex[], entryPoint: Address, chainId: number): Hash {
  return keccak256(concatHex([keccak256(concatHex(fields)), addressWord(entryPoint), word(BigInt(chainId))]))
}

function hash06(op: UserOperation, chainId: number): Hash {
  const fields = [
    addressWord(op.sender),
    word(op.nonce),
    keccak256(initCodeOf(op)),
    keccak256(op.callData),
    word(op.callGasLimit),
    word(op.verificationGasLimit),
    word(op.preVerificationGas),
    word(op.maxFeePerGas),
    word(op.maxPriorityFeePerGas),
    keccak256(paymasterAndData06(op)),
  ]
  return hashWithEntryPoint(fields, entryPoint06Address, chainId)
}

function packedFields(op: UserOperation, initCode: Hex): Hex[] {
  return [
    addressWord(op.sender),
    word(op.nonce),
    keccak256(initCode),
    keccak256(op.callData),
    concatHex([half(op.verificationGasLimit), half(op.callGasLimit)]),
    word(op.preVerificationGas),
    concatHex([half(op.maxPriorityFeePerGas), half(op.maxFeePerGas)]),
    keccak256(paymasterAndData07(op)),
  ]
}

function hash07(op: UserOperation, chainId: number): Hash {
  return hashWithEntryPoint(packedFields(op, initCodeOf(op)), entryPoint07Address, chainId)
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
function hash08(op: UserOperation, chainId: number, delegate = op.eip7702Auth?.address): Hash {
  const marked = op.factory === eip7702Factory && delegate !== undefined
  const initCode = marked ? concatHex([delegate, op.factoryData]) : initCodeOf(op)
  const struct = keccak256(concatHex([packedUserOpTypeHash, ...packedFields(op, initCode)]))
  return keccak256(concatHex(['0x1901', domainSeparator08(chainId), struct]))
}

export const entryPoints: Readonly<Record<EntryPointVersion, EntryPointSpec>> = {
  '0.8': {
    version: '0.8',
    address: entryPoint08Address,
    abi: entryPoint08Abi,
    pack: pack07,
    unpack: unpack07('0.8'),
    hash: hash08,
  },
  '0.7': {
    version: '0.7',
    address: entryPoint07Address,
    abi: entryPoint07Abi,
    pack: pack07,
    unpack: unpack07('0.7'),
    hash: hash07,
  },
  '0.6': {
    version: '0.6',
    address: entryPoint06Address,
    abi: entryPoint06Abi,
    pack: pack06,
    unpack: unpack06,
    hash: hash06,
  },
}

/** Newest first; the first one that a chain has is the preferred one (ERC-7769). */
export const entryPointVersions: readonly EntryPointVersion[] = ['0.8', '0.7', '0.6']

/** The version whose EntryPoint stands at `address`, compared case-insensitively. */
export function versionAt(address: Address): EntryPointVersion | undefined {
  return entryPointVersions.find((version) => isAddressEqual(entryPoints[version].address, address))
}

export function userOperationHash(op: UserOperation, chainId: number, delegate?: Address): Hash {
  return entryPoints[op.version].hash(op, chainId, delegate)
}

/** Calldata of handleOps. All operations are of one version. */
export function encodeHandleOps(
  version: EntryPointVersion,
  ops: readonly UserOperation[],
  beneficiary: Address,
): Hex {
  const { abi, pack } = entryPoints[version]
  return encodeFunctionData({ abi, functionName: 'handleOps', args: [ops.map(pack), beneficiary] })
}

/** The operations in a handleOps call; empty when `data` is another call. */
export function decodeHandleOps(version: EntryPointVersion, data: Hex): UserOperation[] {
  const { abi, unpack } = entryPoints[version]
  try {
    const { functionName, args } = decodeFunctionData({ abi, data })
    if (functionName !== 'handleOps' || args === undefined) return []
    return (args[0] as never[]).map(unpack)
  } catch {
    return []
  }
}
