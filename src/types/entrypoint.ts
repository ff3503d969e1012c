import {
  type Abi,
  type AbiFunction,
  type Address,
  decodeFunctionData,
  getAbiItem,
  type Hash,
  type Hex,
  toFunctionSelector,
} from 'viem'
import {
  entryPoint06Abi,
  entryPoint06Address,
  entryPoint07Abi,
  entryPoint07Address,
  entryPoint08Abi,
  entryPoint08Address,
} from 'viem/account-abstraction'
import { type EntryPointVersion, entryPointVersions } from './entrypoint-version.ts'
import type { UserOperation } from './userop.ts'
import { addressWord, encode06, encode07, encodeList, word } from './userop-encode.ts'
import { hash06, hash07, hash08 } from './userop-hash.ts'
import {
  pack06,
  pack07,
  type UserOperationStruct06,
  type UserOperationStruct07,
  unpack06,
  unpack07,
} from './userop-pack.ts'

/** All in which one EntryPoint version differs from another. Above this table there is one path. */
export type EntryPointSpec = {
  version: EntryPointVersion
  /** The same on every chain (deterministic deployment). */
  address: Address
  abi: Abi
  /** The struct of this version's functions. */
  pack(op: UserOperation): UserOperationStruct06 | UserOperationStruct07
  unpack(struct: never): UserOperation
  /** The ABI encoding of the struct, hex without 0x. */
  encode(op: UserOperation): string
  handleOpsSelector: Hex
  /**
   * Equal to the contract's getUserOpHash. In 0.8 the delegate of an EIP-7702 sender is part of it: the one that its
   * authorization names, unless the caller knows the `delegate` that it has without one.
   */
  hash(op: UserOperation, chainId: number, delegate?: Address): Hash
}

function selectorIn(abi: Abi): Hex {
  return toFunctionSelector(getAbiItem({ abi, name: 'handleOps' }) as AbiFunction)
}

export const entryPoints: Readonly<Record<EntryPointVersion, EntryPointSpec>> = {
  '0.8': {
    version: '0.8',
    address: entryPoint08Address,
    abi: entryPoint08Abi,
    pack: pack07,
    unpack: unpack07('0.8'),
    encode: encode07,
    handleOpsSelector: selectorIn(entryPoint08Abi),
    hash: hash08,
  },
  '0.7': {
    version: '0.7',
    address: entryPoint07Address,
    abi: entryPoint07Abi,
    pack: pack07,
    unpack: unpack07('0.7'),
    encode: encode07,
    handleOpsSelector: selectorIn(entryPoint07Abi),
    hash: hash07,
  },
  '0.6': {
    version: '0.6',
    address: entryPoint06Address,
    abi: entryPoint06Abi,
    pack: pack06,
    unpack: unpack06,
    encode: encode06,
    handleOpsSelector: selectorIn(entryPoint06Abi),
    hash: hash06,
  },
}

/** The version whose EntryPoint stands at `address`, compared case-insensitively. */
export function versionAt(address: Address): EntryPointVersion | undefined {
  const lower = address.toLowerCase()
  return entryPointVersions.find((version) => entryPoints[version].address.toLowerCase() === lower)
}

export function userOperationHash(op: UserOperation, chainId: number, delegate?: Address): Hash {
  return entryPoints[op.version].hash(op, chainId, delegate)
}

/** bytes of the two heads of handleOps, behind which the list of operations begins */
const behindTwoHeads = 64

/** Calldata of handleOps. All operations are of one version. */
export function encodeHandleOps(
  version: EntryPointVersion,
  ops: readonly UserOperation[],
  beneficiary: Address,
): Hex {
  const { encode, handleOpsSelector } = entryPoints[version]
  const heads = word(behindTwoHeads) + addressWord(beneficiary)
  return `${handleOpsSelector}${heads}${encodeList(ops.map(encode))}`
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
