import {
  type Abi,
  type AbiFunction,
  decodeFunctionData,
  erc20Abi,
  type Hex,
  numberToHex,
  parseAbi,
  size,
  slice,
  toFunctionSelector,
} from 'viem'
import { entryPoint06Abi, entryPoint07Abi, entryPoint08Abi } from 'viem/account-abstraction'
import type { Json } from '../../base/errors.ts'
import { once } from '../../base/once.ts'
import * as sponsor06 from '../../contracts/paymaster/artifacts/SponsorPaymaster06.ts'
import * as token06 from '../../contracts/paymaster/artifacts/TokenPaymaster06.ts'
import * as token07 from '../../contracts/paymaster/artifacts/TokenPaymaster07.ts'
import * as verifying06 from '../../contracts/paymaster/artifacts/VerifyingPaymaster06.ts'
import * as verifying07 from '../../contracts/paymaster/artifacts/VerifyingPaymaster07.ts'
import type { Decoded } from '../../types/explanation.ts'
import { type AbiValue, abiJson } from '../abi-json.ts'
import { entityAbi06, entityAbi07 } from '../entity-abi.ts'

/** SimpleAccount of 0.6 to 0.8 and what many accounts share, the EntryPoint's helper and factories. */
const accountAbi = parseAbi([
  'struct Call { address target; uint256 value; bytes data; }',
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch(address[] dest, bytes[] func)',
  'function executeBatch(address[] dest, uint256[] value, bytes[] func)',
  'function executeBatch(Call[] calls)',
  'function initialize(address anOwner)',
  'function owner() view returns (address)',
  'function entryPoint() view returns (address)',
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
  'function createAccount(address owner, uint256 salt) returns (address)',
  'function createSender(bytes initCode) returns (address)',
  'function initEip7702Sender(address sender, bytes initCallData)',
])

/** Where two have the same function, names are of the first. */
const known: readonly Abi[] = [
  accountAbi,
  erc20Abi,
  entityAbi07,
  entityAbi06,
  entryPoint08Abi,
  entryPoint07Abi,
  entryPoint06Abi,
  ...[sponsor06, verifying06, verifying07, token06, token07].map(({ abi }): Abi => abi as Abi),
]

/** The selectors are hundreds of hashes, which no start has to wait for. */
const functions = once(
  (): ReadonlyMap<Hex, AbiFunction> =>
    new Map(
      known
        .toReversed()
        .flatMap((abi) => abi.filter((item) => item.type === 'function'))
        .map((item) => [toFunctionSelector(item), item]),
    ),
)

/** What a call asks for, where its function is one that is known here; `isWhole`: nothing of the input was cut off. */
export function decodeCall(input: Hex, isWhole: boolean): Decoded | undefined {
  const item = size(input) < 4 ? undefined : functions().get(slice(input, 0, 4))
  if (item === undefined) return undefined
  return { name: item.name, args: isWhole ? argsIn(item, input) : undefined }
}

function argsIn(item: AbiFunction, data: Hex): readonly Json[] | undefined {
  try {
    const { args } = decodeFunctionData({ abi: [item], data })
    return ((args ?? []) as readonly AbiValue[]).map((value) => abiJson(value, numberToHex))
  } catch {
    return undefined
  }
}
