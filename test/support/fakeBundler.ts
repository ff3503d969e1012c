import { type Address, type Hash, numberToHex } from 'viem'
import type { ErrorData } from '../../src/base/errors.ts'
import { TandemError, Unavailable } from '../../src/base/errors.ts'
import { entryPoints, userOperationHash } from '../../src/types/entrypoint.ts'
import type { EntryPointVersion } from '../../src/types/entrypoint-version.ts'
import type { BundlerDebugPort, BundlerPort, UserOperationReceipt } from '../../src/types/ports/bundler.ts'
import type { NodeClient } from '../../src/types/ports/chain.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import type { OperationState, OperationStatus, StateChange } from '../../src/types/status.ts'
import type { UserOperation } from '../../src/types/userop.ts'

/** 32 bytes made of one repeated hex digit pair. */
export const hashOf = (pair: string): Hash => `0x${pair.repeat(32)}`
export const senderAddress: Address = '0x1234567890AbcdEF1234567890aBcdef12345678'
export const otherAddress: Address = '0xABcdEFABcdEFabcdEfAbCdefabcdeFABcDEFabCD'

/** A complete operation; `changes` over the neutral values. */
export function userOp(changes: Partial<UserOperation> = {}): UserOperation {
  return {
    version: '0.7',
    sender: senderAddress,
    nonce: 1n,
    factory: undefined,
    factoryData: '0x',
    callData: '0xb61d27f6',
    callGasLimit: 50_000n,
    verificationGasLimit: 60_000n,
    preVerificationGas: 45_000n,
    maxFeePerGas: 2_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    paymaster: undefined,
    paymasterVerificationGasLimit: 0n,
    paymasterPostOpGasLimit: 0n,
    paymasterData: '0x',
    signature: '0xdead',
    eip7702Auth: undefined,
    ...changes,
  }
}

/** The operation as a caller sends it. */
export function wireOp(changes: Partial<UserOperation> = {}) {
  return formatUserOperation(userOp(changes))
}

export const entryPoint = (version: EntryPointVersion = '0.7'): Address => entryPoints[version].address

/** A state change of `userOp()`, or of any hash. */
export function stateChange(state: OperationState, changes: Partial<StateChange> = {}): StateChange {
  const hash = hashOf('aa')
  return { chainId: 1337, entryPoint: entryPoint(), hash, sender: senderAddress, state, at: 1000, ...changes }
}

export function operationStatus(
  state: OperationState,
  changes: Partial<OperationStatus> = {},
): OperationStatus {
  return {
    ...stateChange(state),
    validationLevel: 'basic',
    timestamps: { received: 900, [state.kind]: 1000 },
    ...changes,
  }
}

export const includedState: OperationState = {
  kind: 'included',
  success: true,
  transactionHash: hashOf('bb'),
  blockNumber: 16,
  blockHash: hashOf('cc'),
}

/** A receipt whose quantities and addresses are written as sloppily as nodes do. */
export function operationReceipt(hash: Hash = hashOf('aa')): UserOperationReceipt {
  const place = {
    transactionIndex: '0x01',
    blockNumber: '0x0010' as const,
    transactionHash: hashOf('bb'),
    blockHash: hashOf('cc'),
  }
  const log = {
    ...place,
    address: entryPoint().toLowerCase() as Address,
    topics: [hashOf('d0')],
    data: '0xABCD' as const,
    logIndex: '0x02' as const,
    removed: false,
  }
  const bundleLog = { ...log, logIndex: '0x3' as const }
  return {
    event: {
      chainId: 1337,
      entryPoint: entryPoint(),
      hash,
      sender: senderAddress,
      paymaster: undefined,
      nonce: 1n,
      success: true,
      actualGasCost: 100_000n,
      actualGasUsed: 50n,
      transactionHash: hashOf('bb'),
      block: { number: 16, hash: hashOf('cc') },
      logIndex: 3,
    },
    receipt: {
      ...place,
      to: entryPoint().toLowerCase(),
      from: otherAddress.toLowerCase(),
      contractAddress: null,
      gasUsed: '0x5208',
      logsBloom: '0xFF00',
      logs: [log, bundleLog],
      cumulativeGasUsed: '0x5209',
      effectiveGasPrice: '0x3B9ACA00',
      status: '0x1',
      type: '0x2',
    },
    logs: [log],
    confirmations: 12,
    reason: undefined,
  }
}

/** `operationReceipt()` as it has to be answered. */
export function expectedReceipt(hash: Hash = hashOf('aa')) {
  const place = {
    transactionIndex: '0x1',
    blockNumber: '0x10',
    transactionHash: hashOf('bb'),
    blockHash: hashOf('cc'),
  }
  const log = { ...place, address: entryPoint(), topics: [hashOf('d0')], data: '0xabcd', logIndex: '0x2' }
  return {
    userOpHash: hash,
    entryPoint: entryPoint(),
    sender: senderAddress,
    nonce: '0x1',
    actualGasCost: '0x186a0',
    actualGasUsed: '0x32',
    success: true,
    logs: [log],
    receipt: {
      ...place,
      to: entryPoint(),
      from: otherAddress,
      contractAddress: null,
      gasUsed: '0x5208',
      logsBloom: '0xff00',
      logs: [log, { ...log, logIndex: '0x3' }],
      confirmations: '0xc',
      cumulativeGasUsed: '0x5209',
      effectiveGasPrice: '0x3b9aca00',
      status: '0x1',
      type: '0x2',
      byzantium: true,
    },
  }
}

/** `bundler_config` of the fake. */
export const configView = {
  chainId: 1337,
  flags: { testingMode: false, redirectRpc: true },
  entryPoints: [entryPoint('0.8'), entryPoint('0.7'), entryPoint('0.6')],
  beneficiary: otherAddress,
  relayers: [otherAddress],
  minInclusionDenominator: 10,
  throttlingSlack: 10,
  banSlack: 50,
  minStake: { type: 'BigNumber', hex: numberToHex(10n ** 18n) },
  minUnstakeDelay: 86_400,
  minSignerBalance: '0.1 eth',
  multicall: '0xcA11bde05977b3631167028862bE2a173976CA11',
  estimationStaticBuffer: 0,
  validationGasLimit: 5_000_000,
  receiptLookupRange: 1024,
  explorerApiKey: false,
  conditionalTransactions: false,
  rpcEndpointSubmit: false,
  gasPriceMarkup: 0,
  enforceGasPrice: false,
  enforceGasPriceThreshold: 1000,
  eip2930: false,
  useropsTTL: 300,
  whitelistedEntities: { paymaster: [], account: [], factory: [] },
  bundleGasLimitMarkup: 25_000,
  relayingMode: 'classic',
  bundleInterval: 10_000,
  bundleSize: 500,
  pvgMarkup: 0,
  skipBundleValidation: false,
} as const

/** A bundler that says it does not know, until a test tells it otherwise. */
export type FakeBundler = BundlerPort & {
  /** Tells subscribers of a change. */
  emit(change: StateChange): void
  /** How many listen. */
  readonly listeners: number
}

const unexpected = (what: string) => (): never => {
  throw new Error(`the test did not expect ${what}`)
}

export function fakeNode(changes: Partial<NodeClient> = {}): NodeClient {
  return {
    chainId: 1337,
    request: unexpected('a node request'),
    requestAt: unexpected('a node request'),
    requestOf: unexpected('a node request'),
    close: async () => {},
    ...changes,
  }
}

export function fakeDebug(changes: Partial<BundlerDebugPort> = {}): BundlerDebugPort {
  return {
    clearMempool: unexpected('clearMempool'),
    clearReputation: unexpected('clearReputation'),
    dumpMempool: unexpected('dumpMempool'),
    sendBundleNow: unexpected('sendBundleNow'),
    setBundlingMode: unexpected('setBundlingMode'),
    setBundleInterval: unexpected('setBundleInterval'),
    setReputation: unexpected('setReputation'),
    dumpReputation: unexpected('dumpReputation'),
    addUserOps: unexpected('addUserOps'),
    stakeStatus: unexpected('stakeStatus'),
    ...changes,
  }
}

export function fakeBundler(changes: Partial<BundlerPort> = {}): FakeBundler {
  const listeners = new Set<(change: StateChange) => void>()
  return {
    chainId: 1337,
    versions: ['0.8', '0.7', '0.6'],
    node: fakeNode(),
    debug: fakeDebug(),
    hash: async (op) => userOperationHash(op, 1337),
    send: unexpected('send'),
    estimate: unexpected('estimate'),
    find: async () => undefined,
    receipt: async () => undefined,
    status: async () => undefined,
    explain: unexpected('explain'),
    drop: unexpected('drop'),
    gasPrice: unexpected('gasPrice'),
    feeHistory: unexpected('feeHistory'),
    config: () => configView,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    ...changes,
    emit(change) {
      for (const listener of listeners) listener(change)
    },
    get listeners() {
      return listeners.size
    },
  }
}

/** Every kind of error in peers.md's table that a bundler throws, as callers must see it. */
export const tableErrors: readonly { code: number; message: string; data: ErrorData }[] = [
  { code: -32500, message: "AA21 didn't pay prefund", data: { aaCode: 'AA21', entity: 'account' } },
  { code: -32501, message: 'AA33 reverted: no', data: { aaCode: 'AA33', paymaster: otherAddress } },
  {
    code: -32502,
    message: 'account uses banned opcode: TIMESTAMP',
    data: { rule: 'OP-011', entity: 'account', address: senderAddress, opcode: 'TIMESTAMP' },
  },
  { code: -32503, message: 'expires too soon', data: { validUntil: 100, validAfter: 0 } },
  { code: -32504, message: 'paymaster is banned', data: { entity: 'paymaster', address: otherAddress } },
  {
    code: -32505,
    message: 'stake too low',
    data: { entity: 'factory', address: otherAddress, minimumStake: '0x1', minimumUnstakeDelay: 86_400 },
  },
  { code: -32506, message: 'signature aggregators are not supported', data: { aggregator: otherAddress } },
  { code: -32507, message: 'AA24 signature error', data: { aaCode: 'AA24', entity: 'account' } },
  { code: -32508, message: 'AA31 paymaster deposit too low', data: { paymaster: otherAddress } },
  {
    code: -32521,
    message: 'execution reverted: no',
    data: { revert: { raw: '0x08c379a0', name: 'Error', args: ['no'] } },
  },
  { code: -32005, message: 'limit exceeded', data: { retryAfterMs: 1000 } },
  { code: -32602, message: 'maxFeePerGas is below the base fee', data: { path: 'params[0].maxFeePerGas' } },
]

export const tableError = ({ code, message, data }: (typeof tableErrors)[number]): TandemError =>
  new TandemError(code, message, data)

/** A node, store or thread that could not tell. */
export const trouble = (): Unavailable =>
  new Unavailable('the node did not answer', { cause: new Error('connection refused') })
