import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  padHex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { opcodes } from '../../../src/validation/rules/opcodes.ts'

/** What a contract of contracts/Rules.sol shall do in validation. */
export type Action = { kind: number; to: Address; value: bigint; gasLimit: bigint; data: Hex }

const nobody: Address = '0x0000000000000000000000000000000000000000'
/** In the order of the contract's enum. */
const kinds = [
  'opcode',
  'call',
  'staticcall',
  'delegatecall',
  'callcode',
  'codeSize',
  'codeSizeIsZero',
  'codeHash',
  'codeCopy',
  'load',
  'store',
  'transientLoad',
  'transientStore',
  'create',
  'create2',
] as const

function action(kind: (typeof kinds)[number], fields: Partial<Action> = {}): Action {
  return { to: nobody, value: 0n, gasLimit: 0n, data: '0x', ...fields, kind: kinds.indexOf(kind) }
}

export const opcode = (name: keyof typeof opcodes): Action =>
  action('opcode', { value: BigInt(opcodes[name]) })
/** With all gas there is, unless `gasLimit` says less. */
export const call = (to: Address, fields: Partial<Action> = {}): Action => action('call', { to, ...fields })
export const staticcall = (to: Address, fields: Partial<Action> = {}): Action =>
  action('staticcall', { to, ...fields })
export const delegatecall = (to: Address, data: Hex = '0x'): Action => action('delegatecall', { to, data })
export const callcode = (to: Address, fields: Partial<Action> = {}): Action =>
  action('callcode', { to, ...fields })
export const lookAt = (kind: 'codeSize' | 'codeSizeIsZero' | 'codeHash' | 'codeCopy', to: Address): Action =>
  action(kind, { to })
/** Of its own storage. */
export const touch = (kind: 'load' | 'store' | 'transientLoad' | 'transientStore', slot: bigint): Action =>
  action(kind, { value: slot })
/** A contract without code, which is enough. */
export const create = (): Action => action('create')
export const create2 = (salt = 1n): Action => action('create2', { value: salt })

const actionsType = '(uint8 kind, address to, uint256 value, uint256 gasLimit, bytes data)[]'

/** An account's signature. */
export const accountProgram = (actions: readonly Action[]): Hex =>
  actions.length === 0 ? '0x' : encodeAbiParameters(parseAbiParameters(`${actionsType} actions`), [actions])

/** A paymaster's data. */
export const paymasterProgram = (actions: readonly Action[], contextSize = 0): Hex =>
  encodeAbiParameters(parseAbiParameters(`${actionsType} actions, uint256 contextSize`), [
    actions,
    BigInt(contextSize),
  ])

const factoryAbi = parseAbi([
  'struct Action { uint8 kind; address to; uint256 value; uint256 gasLimit; bytes data; }',
  'function create(uint256 salt, Action[] actions, Action[] inAccount) returns (address)',
])

/** A factory's data. */
export const factoryProgram = (
  salt: bigint,
  actions: readonly Action[] = [],
  inAccount: readonly Action[] = [],
): Hex => encodeFunctionData({ abi: factoryAbi, functionName: 'create', args: [salt, actions, inAccount] })

const performerAbi = parseAbi([
  'struct Action { uint8 kind; address to; uint256 value; uint256 gasLimit; bytes data; }',
  'function perform(Action[] actions) payable',
  'function stake(address entryPoint, uint32 unstakeDelaySec) payable',
])

/** Calldata that makes any of these contracts perform. */
export const perform = (...actions: readonly Action[]): Hex =>
  encodeFunctionData({ abi: performerAbi, functionName: 'perform', args: [actions] })
export const stake = (entryPoint: Address, unstakeDelaySec: number): Hex =>
  encodeFunctionData({ abi: performerAbi, functionName: 'stake', args: [entryPoint, unstakeDelaySec] })

const registryAbi = parseAbi([
  'function read(uint256 slot)',
  'function write(uint256 slot)',
  'function readTransient(uint256 slot)',
  'function writeTransient(uint256 slot)',
  'function readOf(address owner, uint256 distance)',
  'function writeOf(address owner, uint256 distance)',
  'function writeTransientOf(address owner, uint256 distance)',
])
type Touch = 'read' | 'write' | 'readTransient' | 'writeTransient'

/** Calldata for a Registry: one of its slots. */
export const anySlot = (functionName: Touch, slot: bigint): Hex =>
  encodeFunctionData({ abi: registryAbi, functionName, args: [slot] })
/** One that is `distance` behind keccak(owner ‖ 0). */
export const slotOf = (
  functionName: 'readOf' | 'writeOf' | 'writeTransientOf',
  owner: Address,
  distance = 0n,
): Hex => encodeFunctionData({ abi: registryAbi, functionName, args: [owner, distance] })

const entryPointAbi = parseAbi([
  'function depositTo(address account) payable',
  'function balanceOf(address account) view returns (uint256)',
  'function unlockStake()',
])
export const depositTo = (account: Address): Hex =>
  encodeFunctionData({ abi: entryPointAbi, functionName: 'depositTo', args: [account] })
export const balanceOf = (account: Address): Hex =>
  encodeFunctionData({ abi: entryPointAbi, functionName: 'balanceOf', args: [account] })

export const unlockStake: Hex = encodeFunctionData({ abi: entryPointAbi, functionName: 'unlockStake' })

/** Code that does nothing but what its bytes say, as init code. */
export function initCodeOf(code: Hex): Hex {
  const size = (code.length - 2) / 2
  // PUSH1 size, PUSH1 12, PUSH1 0, CODECOPY, PUSH1 size, PUSH1 0, RETURN
  const sizeByte = padHex(`0x${size.toString(16)}`, { size: 1 }).slice(2)
  return `0x60${sizeByte}600c60003960${sizeByte}6000f3${code.slice(2)}`
}
