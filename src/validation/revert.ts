import {
  type Abi,
  type AbiParameter,
  decodeAbiParameters,
  type Hex,
  numberToHex,
  parseAbi,
  parseAbiParameters,
  size,
  slice,
  toFunctionSelector,
} from 'viem'
import { entryPoint06Abi, entryPoint07Abi, entryPoint08Abi } from 'viem/account-abstraction'
import type { Json } from '../base/errors.ts'
import { once } from '../base/once.ts'
import { type AbiValue, abiJson } from './abi-json.ts'

/** Revert data, as far as it can be read. `text` is one line for people; `raw` is always there. */
export type Revert = { raw: Hex; name: string | undefined; args: readonly Json[]; text: string }

/** Errors of contracts that operations often touch: OpenZeppelin 5 and SimpleAccount of EntryPoint 0.8. */
const commonErrors = parseAbi([
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InvalidSender(address sender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidApprover(address approver)',
  'error ERC20InvalidSpender(address spender)',
  'error ERC721InvalidOwner(address owner)',
  'error ERC721NonexistentToken(uint256 tokenId)',
  'error ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)',
  'error ERC721InvalidSender(address sender)',
  'error ERC721InvalidReceiver(address receiver)',
  'error ERC721InsufficientApproval(address operator, uint256 tokenId)',
  'error ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId)',
  'error ERC1155MissingApprovalForAll(address operator, address owner)',
  'error OwnableUnauthorizedAccount(address account)',
  'error OwnableInvalidOwner(address owner)',
  'error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)',
  'error AccessControlBadConfirmation()',
  'error ReentrancyGuardReentrantCall()',
  'error EnforcedPause()',
  'error ExpectedPause()',
  'error InvalidInitialization()',
  'error NotInitializing()',
  'error SafeERC20FailedOperation(address token)',
  'error AddressEmptyCode(address target)',
  'error AddressInsufficientBalance(address account)',
  'error FailedInnerCall()',
  'error FailedCall()',
  'error InsufficientBalance(uint256 balance, uint256 needed)',
  'error FailedDeployment()',
  'error ECDSAInvalidSignature()',
  'error ECDSAInvalidSignatureLength(uint256 length)',
  'error ECDSAInvalidSignatureS(bytes32 s)',
  'error InvalidShortString()',
  'error StringTooLong(string str)',
  'error MathOverflowedMulDiv()',
  'error SafeCastOverflowedUintDowncast(uint8 bits, uint256 value)',
  'error UUPSUnauthorizedCallContext()',
  'error UUPSUnsupportedProxiableUUID(bytes32 slot)',
  'error ERC1967InvalidImplementation(address implementation)',
  'error ERC1967NonPayable()',
  'error ERC2612ExpiredSignature(uint256 deadline)',
  'error ERC2612InvalidSigner(address signer, address owner)',
  'error InvalidAccountNonce(address account, uint256 currentNonce)',
  'error ExecuteError(uint256 index, bytes reason)',
])

type KnownError = { name: string; inputs: readonly AbiParameter[] }

/** The selectors are many hashes, which no start has to wait for. */
const knownErrors = once(
  (): ReadonlyMap<Hex, KnownError> =>
    new Map(
      [...commonErrors, ...entryPoint06Abi, ...entryPoint07Abi, ...entryPoint08Abi].flatMap(
        (item: Abi[number]) => (item.type === 'error' ? [[selectorOf(item), item] as const] : []),
      ),
    ),
)

function selectorOf({ name, inputs }: KnownError): Hex {
  return toFunctionSelector({ type: 'function', name, inputs, outputs: [], stateMutability: 'view' })
}

const errorSelector = '0x08c379a0'
const panicSelector = '0x4e487b71'

/** Solidity's own failures (Panic codes of its documentation). */
const panics: ReadonlyMap<bigint, string> = new Map([
  [0x01n, 'assertion failed'],
  [0x11n, 'arithmetic overflow'],
  [0x12n, 'division by zero'],
  [0x21n, 'invalid enum value'],
  [0x22n, 'invalid storage byte array'],
  [0x31n, 'pop of an empty array'],
  [0x32n, 'array index out of bounds'],
  [0x41n, 'out of memory'],
  [0x51n, 'call of an empty function pointer'],
])

/** Never throws: what cannot be read is said to be so. */
export function decodeRevert(raw: Hex): Revert {
  if (size(raw) === 0) return { raw, name: undefined, args: [], text: 'reverted without a reason' }
  try {
    return decode(raw) ?? unread(raw)
  } catch {
    return unread(raw)
  }
}

function decode(raw: Hex): Revert | undefined {
  const selector = slice(raw, 0, 4)
  const body = size(raw) > 4 ? slice(raw, 4) : '0x'
  if (selector === errorSelector) {
    const [text] = decodeAbiParameters(parseAbiParameters('string'), body)
    return { raw, name: 'Error', args: [text], text: text === '' ? 'reverted without a reason' : text }
  }
  if (selector === panicSelector) {
    const [code] = decodeAbiParameters(parseAbiParameters('uint256'), body)
    const hex = `0x${code.toString(16)}`
    return { raw, name: 'Panic', args: [hex], text: `panic: ${panics.get(code) ?? 'unknown'} (${hex})` }
  }
  const known = knownErrors().get(selector)
  if (known === undefined) return undefined
  const args = decodeAbiParameters(known.inputs, body) as readonly AbiValue[]
  return {
    raw,
    name: known.name,
    args: args.map((value) => abiJson(value, numberToHex)),
    text: textOf(known, args),
  }
}

/** Errors whose last argument is what a further call reverted with. */
const wrappers: ReadonlySet<string> = new Set(['ExecuteError', 'FailedOpWithRevert', 'PostOpReverted'])

function textOf({ name }: KnownError, args: readonly AbiValue[]): string {
  const inner = args.at(-1)
  if (!wrappers.has(name) || typeof inner !== 'string') return `${name}(${args.map(inText).join(', ')})`
  return `${name}(${args.slice(0, -1).map(inText).join(', ')}): ${decodeRevert(inner as Hex).text}`
}

function unread(raw: Hex): Revert {
  const start = size(raw) > 4 ? `${slice(raw, 0, 4)}…` : raw
  return { raw, name: undefined, args: [], text: `reverted with ${start} (${size(raw)} bytes)` }
}

function inText(value: AbiValue): string {
  return typeof value === 'object' ? JSON.stringify(abiJson(value, String)) : String(value)
}
