import type { BlockEnvironment, ChainRules } from '../../src/evm/environment.ts'
import { createState } from '../../src/evm/state/state.ts'
import type { Rejection } from '../../src/evm/transaction/rejection.ts'
import { runTransaction, type TransactionResult } from '../../src/evm/transaction/run-transaction.ts'
import { excluded } from './excluded.ts'
import type { Fixture, FixtureResult } from './fixture.ts'
import { logsHash, stateRoot } from './roots.ts'
import { blockOf, type PreState, preStateOf, sourceOf, transactionOf } from './world.ts'

/** What became of a case: it passed, unless there is a failure. */
export type CaseReport = { readonly name: string; readonly failure?: string }

/** The official names of why a transaction is invalid. */
const exceptionNames: Partial<Record<Rejection, string>> = {
  'value-too-large': 'RLP_INVALID_VALUE',
  'intrinsic-gas-too-low': 'INTRINSIC_GAS_TOO_LOW',
  'insufficient-funds': 'INSUFFICIENT_ACCOUNT_FUNDS',
  'sender-has-code': 'SENDER_NOT_EOA',
  'init-code-too-large': 'INITCODE_SIZE_EXCEEDED',
  'max-fee-below-base-fee': 'INSUFFICIENT_MAX_FEE_PER_GAS',
  'priority-fee-above-max-fee': 'PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS',
  'gas-limit-above-block': 'GAS_ALLOWANCE_EXCEEDED',
  'nonce-exhausted': 'NONCE_IS_MAX',
  'blobs-unknown-version': 'TYPE_3_TX_INVALID_BLOB_VERSIONED_HASH',
  'blob-fee-below-base-fee': 'INSUFFICIENT_MAX_FEE_PER_BLOB_GAS',
  'blobs-empty': 'TYPE_3_TX_ZERO_BLOBS',
  'blobs-too-many': 'TYPE_3_TX_BLOB_COUNT_EXCEEDED',
  'creates-without-right': 'TYPE_3_TX_CONTRACT_CREATION',
}

/** As in a `Budget`; no case takes as many. CALLBlake2f_MaxRounds takes 2^32 rounds, a gas each, at three steps a gas. */
const stepLimit = 20_000_000_000

/** Runs the cases of a fixture for the chain's hardfork. */
export async function runFixture(name: string, fixture: Fixture, chain: ChainRules): Promise<CaseReport[]> {
  const pre = preStateOf(fixture, chain.keccak)
  const block = blockOf(fixture)
  const reports: CaseReport[] = []
  for (const result of resultsOf(fixture, chain)) {
    const { data, gas, value } = result.indexes
    const caseName = `${name} d${data} g${gas} v${value}`
    if (excluded.has(caseName)) continue
    const failure = await failureOf(fixture, result, pre, block, chain).catch(String)
    reports.push({ name: caseName, ...(failure && { failure }) })
  }
  return reports
}

function resultsOf({ post }: Fixture, { hardfork }: ChainRules): readonly FixtureResult[] {
  const fork = Object.keys(post).find((key) => key.toLowerCase() === hardfork)
  return fork === undefined ? [] : (post[fork] ?? [])
}

async function failureOf(
  fixture: Fixture,
  expected: FixtureResult,
  pre: PreState,
  block: BlockEnvironment,
  chain: ChainRules,
): Promise<string | undefined> {
  const state = createState(sourceOf(pre, chain.keccak))
  const transaction = transactionOf(fixture, expected)
  const result = runTransaction({ transaction, state, chain, block, stepLimit })
  const exception = exceptionFault(result, expected.expectException)
  if (exception !== undefined) return exception
  const logs = result.kind === 'executed' ? result.logs : []
  if (logsHash(logs, chain.keccak) !== BigInt(expected.logs)) return 'logs differ'
  const root = await stateRoot(pre, state.changes(), chain.keccak)
  return root === BigInt(expected.hash) ? undefined : `state root differs (${describe(result)})`
}

function exceptionFault(result: TransactionResult, expected: string | undefined): string | undefined {
  const actual = result.kind === 'rejected' ? exceptionNames[result.reason] : undefined
  const wanted = expected?.split('|').map((name) => name.replace('TransactionException.', ''))
  const isAsExpected =
    wanted === undefined ? result.kind === 'executed' : actual !== undefined && wanted.includes(actual)
  return isAsExpected ? undefined : `${describe(result)} instead of ${expected ?? 'a valid transaction'}`
}

function describe(result: TransactionResult): string {
  return result.kind === 'rejected' ? result.reason : `${result.outcome.kind}, ${result.gasUsed} gas`
}
