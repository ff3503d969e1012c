import { expect, test } from 'bun:test'
import { type BundlerModules, createBundler } from '../../../src/bundler/bundler.ts'
import type { Verdict } from '../../../src/types/verdict.ts'
import { address, hashOf, userOp } from '../../support/builders.ts'
import { fakeNode } from '../../support/fakeBundler.ts'
import { admit, pool } from '../pool/support.ts'
import { accepted, chainId, context, fakeHeads, fakeStore, free, now, poolsOf } from './support.ts'

const settings = {
  ...{ chainId, testing: false, redirectRpc: true, minInclusionDenominator: 10, throttlingSlack: 10 },
  ...{ banSlack: 50, minStake: 10n, minUnstakeDelay: 1, minSignerBalance: 1n, receiptLookupRange: 10 },
  ...{ multicall: address(1), estimationStaticBuffer: 0n, validationGasLimit: 5n, explorerApiKey: false },
  ...{ conditionalTransactions: false, rpcEndpointSubmit: false, gasPriceMarkup: 0, enforceGasPrice: false },
  ...{ enforceGasPriceThreshold: 0, eip2930: false, useropsTTL: 300, bundleGasLimitMarkup: 0n },
  whitelistedEntities: { paymaster: [], account: [], factory: [] },
  ...{
    relayingMode: 'classic',
    bundleInterval: 1,
    bundleSize: 2,
    pvgMarkup: 0n,
    skipBundleValidation: false,
  },
  ...{ versions: ['0.7' as const], transactionGasCap: 1n, transactionBytesCap: 1, maxUserOperationSize: 1 },
  ...{ watchedPaymasters: [], minPaymasterDeposit: 0n },
  ...{ minPriorityFee: 0n, eip7623: true, quoteValidity: 1 },
}
const pending = userOp({ callData: '0x01' })
const withdrawal = userOp()
const unasked = () => Promise.reject(new Error('not asked'))

/** A bundler whose pool holds `pending`. */
function bundlerOf(validate: (own: ReturnType<typeof pool>) => Verdict) {
  const own = pool()
  admit(own, pending)
  const modules: BundlerModules = {
    ...context,
    ...{
      now,
      node: fakeNode(),
      callersNode: fakeNode(),
      heads: fakeHeads(),
      fees: { quote: async () => free },
      dataFees: { prices: async () => ({ kind: 'none' }) },
    },
    ...{
      pools: poolsOf(own),
      store: fakeStore(),
      alerts: { tell: unasked },
      signal: new AbortController().signal,
    },
    reads: { events: unasked, receipts: unasked, isCanonical: unasked, scan: unasked },
    rules: {
      ...{ precheck() {}, checkCaps() {}, preVerificationGas: () => 0n },
      ...{ gasInBundle: () => ({ taken: 0n, reserve: 0n }), emptyBundleGas: 0n, gasOfBundle: () => 0n },
      ...{ logsOfOperation: () => [], revertReason: () => undefined },
    },
    simulator: {
      validate: async () => validate(own),
      rehearse: unasked,
      estimate: unasked,
      explain: unasked,
      checkBundle: unasked,
    },
    submitter: { open: unasked, submit: unasked, onHead: unasked, report: unasked, drain: unasked },
  }
  return { bundler: createBundler(settings, modules), own }
}

test('a signed no-op withdraws the pending operation of its nonce', async () => {
  const { bundler, own } = bundlerOf(() => accepted(withdrawal))
  expect(await bundler.drop(withdrawal)).toBe(hashOf(pending))
  expect(own.size).toBe(0)
})

test('a withdrawal that its account did not sign changes nothing', async () => {
  const error = { code: -32507, message: 'AA24 signature error' }
  const { bundler, own } = bundlerOf(() => ({ kind: 'rejected', error }))
  await expect(bundler.drop(withdrawal)).rejects.toMatchObject(error)
  expect(own.size).toBe(1)
})

test('what a bundle takes up while the withdrawal is judged stays', async () => {
  const { bundler, own } = bundlerOf((pooled) => {
    pooled.bundle([hashOf(pending)], 'first')
    return accepted(withdrawal)
  })
  await expect(bundler.drop(withdrawal)).rejects.toMatchObject({ code: -32602 })
  expect(own.size).toBe(1)
})

test('what does something withdraws nothing', async () => {
  const { bundler } = bundlerOf(() => accepted(withdrawal))
  await expect(bundler.drop(userOp({ callData: '0x02' }))).rejects.toMatchObject({
    data: { path: 'params[0].callData' },
  })
})
