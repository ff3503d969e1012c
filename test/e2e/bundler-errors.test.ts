import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Address, BaseError, createPublicClient, getAddress, http, parseAbi, parseEther } from 'viem'
import {
  type BundlerClient,
  createBundlerClient,
  UserOperationExecutionError,
  type UserOperation as ViemOperation,
} from 'viem/account-abstraction'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { developmentChain } from '../../src/dev/demo.ts'
import { toSimpleAccount } from '../../src/dev/simple-account.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { type EntryPointVersion, entryPointVersions } from '../../src/types/entrypoint-version.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { requiredPrefund } from '../../src/types/userop-cost.ts'
import { execute, fund, signedOperation, simpleAccount, type TestAccount } from '../support/accounts.ts'
import { deployAccount } from '../support/bundles.ts'
import { catchUp } from '../support/catchUp.ts'
import { call, RpcError, send } from '../support/client.ts'
import { type DevChain, startDevChain } from '../support/devChain.ts'
import { badFactories, create, type Factories } from '../support/factories.ts'
import { fleet, operation } from '../support/fleet.ts'
import { type OpenContracts, openContracts } from '../support/open.ts'
import { type RunningService, startService } from '../support/service.ts'
import { validBetween } from '../support/timeRange.ts'

/** ms for what starts processes or compiles contracts, however busy the machine is */
const patience = 60_000

let chain: DevChain
let contracts: OpenContracts
let factories: Factories
let reverter: Address
let service: RunningService
let bundler: BundlerClient
/** Deployed before the service started, so that it knows them. */
const deployed = {} as Record<EntryPointVersion, TestAccount>
/** The first nonce of these is used. */
const used = {} as Record<EntryPointVersion, TestAccount>

beforeAll(async () => {
  chain = await startDevChain()
  for (const version of entryPointVersions) {
    const [account] = await fleet(chain, version, 1)
    if (account !== undefined) deployed[version] = account
    used[version] = await simpleAccount(chain, version)
    await deployAccount(chain, used[version])
  }
  contracts = await openContracts(chain)
  factories = await badFactories(chain)
  reverter = await contracts.deploy('Reverter')
  service = await startService({ nodeUrl: chain.url, relayerKeys: [anvilKeys[2]], flags: ['--testing'] })
  bundler = createBundlerClient({ transport: http(service.url) })
  await call(service.url, 'debug_bundler_setBundlingMode', 'manual')
}, patience)

afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

afterEach(() => call(service.url, 'debug_bundler_clearState'))

/** The name of the class that a wallet which uses viem gets; `undefined` when there is no error. */
function classOf(answer: Promise<unknown>): Promise<string | undefined> {
  return answer.then(
    () => undefined,
    (error) => {
      if (!(error instanceof UserOperationExecutionError)) throw error
      return error.cause.name
    },
  )
}

/** The operation as viem's actions take it without an account. */
function parameters(op: UserOperation) {
  const { sender, nonce, callData, signature } = op
  const { callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas } = op
  const { factory, factoryData, paymaster, paymasterData } = op
  const { paymasterVerificationGasLimit, paymasterPostOpGasLimit } = op
  const { initCode, paymasterAndData } = formatUserOperation(op)
  return {
    ...{ sender, nonce, callData, signature },
    ...{ callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas },
    ...(op.version === '0.6'
      ? { initCode, paymasterAndData }
      : { factory, factoryData, paymaster, paymasterData }),
    ...(op.version === '0.6' || paymaster === undefined
      ? {}
      : { paymasterVerificationGasLimit, paymasterPostOpGasLimit }),
    entryPointAddress: entryPoints[op.version].address,
  } as unknown as ViemOperation & { entryPointAddress: Address }
}

/** What the operation is about may have been mined just now. */
async function sending(op: UserOperation): Promise<unknown> {
  await catchUp(service.url, chain)
  return bundler.sendUserOperation(parameters(op))
}

async function estimating(op: UserOperation): Promise<unknown> {
  await catchUp(service.url, chain)
  return bundler.estimateUserOperationGas(parameters(op))
}

async function fundedAccount(version: EntryPointVersion): Promise<TestAccount> {
  const account = await simpleAccount(chain, version)
  await fund(chain, account.address)
  return account
}

const sponsored = (version: EntryPointVersion, paymaster: Address): Partial<UserOperation> => ({
  paymaster: getAddress(paymaster),
  ...(version === '0.6' ? {} : { paymasterVerificationGasLimit: 100_000n, paymasterPostOpGasLimit: 50_000n }),
})

/** An operation that is paid for by a paymaster with these settings. */
async function paidBy(
  version: EntryPointVersion,
  settings: Parameters<OpenContracts['paymaster']>[2],
  deposit = parseEther('1'),
): Promise<UserOperation> {
  return contracts.operation(
    version,
    sponsored(version, await contracts.paymaster(version, deposit, settings)),
  )
}

/** Raises a gas limit until a call no longer runs out of it: then what the EntryPoint does around the call does. */
async function atTheEdge(
  op: UserOperation,
  field: 'verificationGasLimit' | 'paymasterVerificationGasLimit',
  outOfGas: string,
): Promise<UserOperation> {
  await catchUp(service.url, chain)
  for (let limit = 5_000n; limit < 200_000n; limit += 250n) {
    const tried = { ...op, [field]: limit }
    const code = await send(service.url, tried).then(
      () => undefined,
      (error) => (error instanceof RpcError ? error.error.data?.aaCode : undefined),
    )
    if (code !== outOfGas) return tried
  }
  throw new Error(`${outOfGas} at any limit`)
}

const inFuture = 4_000_000_000

type Row = { name: string; attempt: (version: EntryPointVersion) => Promise<unknown> }

/** How each class comes about; on every EntryPoint unless `only` names some. */
const reachable: readonly (Row & { only?: readonly EntryPointVersion[] })[] = [
  {
    name: 'AccountNotDeployedError',
    attempt: async (version) => sending(await operation(chain, await fundedAccount(version))),
  },
  {
    name: 'ExecutionRevertedError',
    attempt: async (version) => {
      const callData = execute(reverter, 0n, contracts.call('Reverter', 'withReason'))
      return estimating(await operation(chain, deployed[version], { callData }))
    },
  },
  {
    name: 'GasValuesOverflowError',
    attempt: async (version) => sending(await contracts.operation(version, { callGasLimit: 2n ** 120n })),
  },
  {
    name: 'InitCodeFailedError',
    attempt: async (version) => {
      const account = await fundedAccount(version)
      const factory = getAddress(factories.RefusingFactory)
      return sending(await signedOperation(chain, account, { factory, factoryData: create(account.address) }))
    },
  },
  {
    name: 'InitCodeMustCreateSenderError',
    attempt: async (version) => {
      const account = await fundedAccount(version)
      const factory = getAddress(factories.EmptyFactory)
      return sending(await signedOperation(chain, account, { factory, factoryData: create(account.address) }))
    },
  },
  {
    name: 'InitCodeMustReturnSenderError',
    attempt: async (version) => {
      const { factoryData } = await simpleAccount(chain, version)
      return sending(await signedOperation(chain, await fundedAccount(version), { factoryData }))
    },
  },
  {
    name: 'InsufficientPrefundError',
    attempt: async (version) => sending(await signedOperation(chain, await simpleAccount(chain, version))),
  },
  {
    name: 'InvalidAccountNonceError',
    attempt: async (version) => sending(await operation(chain, used[version])),
  },
  {
    name: 'InvalidFieldsError',
    attempt: async (version) => sending(await contracts.operation(version, { preVerificationGas: 1n })),
  },
  {
    name: 'PaymasterDepositTooLowError',
    attempt: async (version) => sending(await paidBy(version, {}, 1n)),
  },
  {
    name: 'PaymasterDepositTooLowError',
    attempt: async (version) => {
      const cost = requiredPrefund(await contracts.operation(version, sponsored(version, reverter)))
      const first = await paidBy(version, {}, cost)
      await sending(first)
      return sending({
        ...(await contracts.operation(version)),
        ...sponsored(version, first.paymaster ?? '0x'),
      })
    },
  },
  {
    name: 'PaymasterFunctionRevertedError',
    attempt: async (version) => sending(await paidBy(version, { refusal: 'not on the list' })),
  },
  {
    name: 'PaymasterNotDeployedError',
    attempt: async (version) =>
      sending(
        await contracts.operation(version, sponsored(version, '0x00000000000000000000000000000000000000aA')),
      ),
  },
  {
    name: 'PaymasterPostOpFunctionRevertedError',
    attempt: async (version) => estimating(await paidBy(version, { contextSize: 32n, postOpSlots: 1000n })),
  },
  {
    name: 'PaymasterRateLimitError',
    attempt: async (version) => {
      const op = await paidBy(version, {})
      const reputation = [{ address: op.paymaster, opsSeen: 10_000, opsIncluded: 1 }]
      await call(service.url, 'debug_bundler_setReputation', reputation, entryPoints[version].address)
      return sending(op)
    },
  },
  {
    name: 'PaymasterStakeTooLowError',
    attempt: async (version) => {
      for (let nonce = 0n; nonce < 4n; nonce++)
        await sending(await operation(chain, deployed[version], { nonce }))
      return sending(await operation(chain, deployed[version], { nonce: 4n }))
    },
  },
  {
    name: 'SenderAlreadyConstructedError',
    attempt: async (version) => sending(await signedOperation(chain, deployed[version])),
  },
  {
    name: 'SmartAccountFunctionRevertedError',
    attempt: async (version) => sending(await contracts.operation(version, {}, { refusal: 'not for you' })),
  },
  {
    name: 'UnsupportedSignatureAggregatorError',
    attempt: async (version) => sending(await contracts.operation(version, {}, { answer: 0xa9n })),
  },
  {
    name: 'UserOperationExpiredError',
    attempt: async (version) =>
      sending(await contracts.operation(version, {}, { answer: validBetween(1, 1_000) })),
  },
  {
    name: 'UserOperationExpiredError',
    attempt: async (version) =>
      sending(await contracts.operation(version, {}, { answer: validBetween(inFuture, inFuture + 1) })),
  },
  {
    name: 'UserOperationPaymasterExpiredError',
    attempt: async (version) => sending(await paidBy(version, { answer: validBetween(1, 1_000) })),
  },
  {
    name: 'UserOperationPaymasterSignatureError',
    attempt: async (version) => sending(await paidBy(version, { answer: 1n })),
  },
  {
    name: 'UserOperationRejectedByEntryPointError',
    only: ['0.7', '0.8'],
    attempt: async (version) =>
      sending(await atTheEdge(await contracts.operation(version), 'verificationGasLimit', 'AA23')),
  },
  {
    name: 'UserOperationRejectedByOpCodeError',
    attempt: async (version) => {
      const first = await contracts.operation(version)
      await sending(first)
      return sending(await contracts.operation(version, sponsored(version, first.sender)))
    },
  },
  {
    name: 'UserOperationRejectedByPaymasterError',
    only: ['0.7', '0.8'],
    attempt: async (version) => {
      const op = await paidBy(version, { contextSize: 2_000n })
      return sending(await atTheEdge(op, 'paymasterVerificationGasLimit', 'AA33'))
    },
  },
  {
    name: 'UserOperationSignatureError',
    attempt: async (version) => {
      const op = await operation(chain, deployed[version])
      return sending({ ...op, callGasLimit: op.callGasLimit + 1n })
    },
  },
  {
    name: 'VerificationGasLimitExceededError',
    only: ['0.6'],
    attempt: async (version) =>
      sending(await atTheEdge(await contracts.operation(version), 'verificationGasLimit', 'AA23')),
  },
  {
    name: 'VerificationGasLimitTooLowError',
    only: ['0.6'],
    attempt: async (version) =>
      sending(await atTheEdge(await paidBy(version, {}), 'verificationGasLimit', 'AA23')),
  },
]

/** Classes of viem that no rejection of ours becomes, and why. */
const unreachable: Readonly<Record<string, string>> = {
  FailedToSendToBeneficiaryError: 'AA91 is about the beneficiary of a bundle, which no caller chooses',
  HandleOpsOutOfGasError: 'AA95 is about the gas of a bundle, which no caller chooses',
  InternalCallOnlyError: 'AA92 is about a call of innerHandleOp, which no operation makes in validation',
  InvalidAggregatorError: 'AA96 is about handleAggregatedOps; aggregators are refused as -32506 before',
  InvalidBeneficiaryError: 'AA90 is about the beneficiary of a bundle, which no caller chooses',
  InvalidPaymasterAndDataError: 'AA93: paymaster fields are complete from 0.7 on, and 0.6 does not know it',
  SignatureCheckFailedError: 'every -32507 begins with AA24 or AA34, for which there are closer classes',
  UserOperationOutOfTimeRangeError:
    'every -32503 begins with AA22 or AA32, for which there are closer classes',
}

/** What becomes of an error that viem does not know. */
const fallback = 'UnknownBundlerError'

describe.each([...entryPointVersions])('on EntryPoint %s viem throws', (version) => {
  for (const { name, attempt, only } of reachable) {
    if (only?.includes(version) === false) continue
    test(name, async () => {
      expect(await classOf(attempt(version))).toBe(name)
    })
  }

  test('the custom error of the contract that was called', async () => {
    const client = createPublicClient({
      chain: developmentChain(chain.chainId, chain.url),
      transport: http(chain.url),
    })
    const { owner } = deployed[version]
    const factory = chain.factories[version]
    const account = await toSimpleAccount({ client, version, owner, factory })
    const abi = parseAbi(['error NotToday(address caller, uint256 day)', 'function withCustomError()'])
    const calls = [{ to: reverter, abi, functionName: 'withCustomError' }] as const
    const error = await createBundlerClient({ account, client, transport: http(service.url) })
      .sendUserOperation({ calls })
      .catch((thrown: unknown) => thrown)
    const reverted = error instanceof BaseError ? error.walk((cause) => 'data' in (cause as object)) : error
    expect(reverted).toMatchObject({
      name: 'ContractFunctionRevertedError',
      data: { errorName: 'NotToday', args: [account.address, 7n] },
    })
  })
})

test('every class of viem is reached, or there is a reason why not', async () => {
  const root = join(import.meta.dir, '../../node_modules/viem/_esm')
  const classes = Object.keys(await import(join(root, 'account-abstraction/errors/bundler.js')))
  const reached = new Set(reachable.map(({ name }) => name))
  expect(classes.toSorted()).toEqual([...reached, ...Object.keys(unreachable), fallback].toSorted())
})
