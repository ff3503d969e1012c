import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { type Hash, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Json } from '../../src/base/errors.ts'
import { createMetrics } from '../../src/base/metrics.ts'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { entryPointVersions } from '../../src/types/entrypoint-version.ts'
import type { CheckBundleJob } from '../../src/types/ports/simulator.ts'
import { formatUserOperation } from '../../src/types/rpc-userop.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import type { Verdict } from '../../src/types/verdict.ts'
import { createCrossCheck } from '../../src/validation/cross-check.ts'
import { partiesOf } from '../../src/validation/rules/judge-rules.ts'
import { simulateValidationCall } from '../../src/validation/simulation.ts'
import type { SimulatorHandlers } from '../../src/validation/simulator-host.ts'
import { operationsOfTrace } from '../../src/validation/traced/operations-of-trace.ts'
import { readTrace } from '../../src/validation/traced/read-trace.ts'
import { type TracerKind, tracers } from '../../src/validation/traced/tracer-kind.ts'
import { validationOverrides } from '../../src/validation/validate.ts'
import { signedOperation, simpleAccount } from '../support/accounts.ts'
import { call } from '../support/client.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { openSimulator } from '../support/engines.ts'
import { type GethChain, missingGeth, startGethChain } from '../support/gethChain.ts'
import { buildOperation, type RuleCase, ruleSuite } from '../support/rules/suite.ts'
import { createRuleWorld, type RuleWorld } from '../support/rules/world.ts'
import { scratchDirectory, startService, startTandem } from '../support/service.ts'
import { latestBlock, silentContext } from '../support/simulation.ts'

/** ms; our script takes a busy machine's node seconds for an operation that does much */
const timeoutMs = 30_000
const byNode = { validationEngine: 'node', lowestValidation: 'traced-by-node', timeoutMs } as const

async function jobOf(chain: { url: string; chainId: number }, op: UserOperation) {
  return { chainId: chain.chainId, op, block: await latestBlock(chain), nonceSequence: undefined }
}

/** As the suite writes it. */
function asExpected(verdict: Verdict) {
  switch (verdict.kind) {
    case 'accepted':
      return verdict.facts.level === 'traced-by-node' ? 'accepted' : verdict.facts.level
    case 'rejected':
      return { code: verdict.error.code, ...verdict.error.data }
    case 'unknown':
      return verdict
  }
}

/** A trace has no gas of the EntryPoint's own, without which a paymaster's part is not known. */
const isTold = ({ rule, name }: RuleCase): boolean => rule !== 'LIM-030' || !name.includes('paymaster')

describe.skipIf(missingGeth())('on geth, which traces natively', () => {
  let chain: GethChain
  let simulator: SimulatorHandlers
  const metrics = createMetrics()
  beforeAll(async () => {
    chain = await startGethChain()
    simulator = await openSimulator(chain, byNode)
  })
  afterAll(() => chain.stop())

  async function operationOf(version: UserOperation['version']): Promise<UserOperation> {
    const account = await simpleAccount(chain, version)
    await chain.fund(account.address)
    return signedOperation(chain, account)
  }

  describe.each([...entryPointVersions])('with EntryPoint %s', (version) => {
    const crossCheck = createCrossCheck({
      ...{ ...silentContext(), metrics },
      secondOpinion: (job) => simulator.secondOpinion(job),
    })
    let world: RuleWorld
    beforeAll(async () => {
      world = await createRuleWorld(chain, version)
    })

    test('the first operation of a SimpleAccount is accepted with all rules', async () => {
      const verdict = await simulator.validate(await jobOf(chain, await operationOf(version)))
      expect(verdict).toMatchObject({ kind: 'accepted', facts: { level: 'traced-by-node' } })
    })

    const suite = ruleSuite.filter((one) => isTold(one) && (one.versions?.includes(version) ?? true))
    test.each(suite.map((one) => [`${one.rule}: ${one.name}`, one] as const))(
      '%s',
      async (_, { build, expected }) => {
        const job = await jobOf(chain, await build(world))
        const verdict = await simulator.validate(job)
        if (expected === 'accepted') expect(asExpected(verdict)).toBe('accepted')
        else expect(asExpected(verdict)).toMatchObject(expected)

        crossCheck.sample(job, verdict, 1)
        await crossCheck.settled()
      },
    )

    test('COD-010: a bundle relies on the code that was there before', async () => {
      const op = await buildOperation(world, { sender: 'delegated' })
      const verdict = await simulator.validate(await jobOf(chain, op))
      const scope = verdict.kind === 'accepted' ? verdict.facts.scope : undefined
      const { address } = chain.funder
      const bundle: CheckBundleJob = {
        ...{ chainId: chain.chainId, version, ops: [op], scopes: [scope] },
        ...{ beneficiary: address, from: address, block: 'latest' },
        ...{ gasLimit: 5_000_000n, maxFeePerGas: 5_000_000_000n },
      }
      expect(await simulator.checkBundle(bundle)).toMatchObject({ kind: 'passes' })
      await world.changeDelegate()
      expect(await simulator.checkBundle(bundle)).toMatchObject({
        ...{ kind: 'fails', index: 0 },
        error: { code: -32502, data: { rule: 'COD-010', contract: op.sender } },
      })
    })

    test('our script tells what the native tracer tells', async () => {
      const op = await operationOf(version)
      expect(await factsBy('script', chain, op)).toEqual(await factsBy('native', chain, op))
    })
  })

  test('a service that asks it takes and includes operations of every version, twice judged', async () => {
    const relayer = anvilKeys[1]
    await chain.fund(privateKeyToAccount(relayer).address)
    const service = await startService({
      nodeUrl: chain.url,
      relayerKeys: [relayer],
      flags: ['--validation-engine', 'node', '--validation-cross-check', '1', '--node-timeout', '30000'],
    })
    try {
      for (const version of entryPointVersions) {
        const op = await operationOf(version)
        const sent = [formatUserOperation(op), entryPoints[version].address, 60_000]
        const receipt = await call<{ userOpHash: Hash; success: boolean }>(
          ...([service.url, 'eth_sendUserOperationSync', ...sent] as const),
        )
        expect(receipt.success).toBe(true)
        expect(await call(service.url, 'bundler_getUserOperationStatus', receipt.userOpHash)).toMatchObject({
          status: 'included',
          validationLevel: 'traced-by-node',
        })
      }
      const counted = await (await fetch(`${service.adminUrl}/metrics`)).text()
      expect(counted).toMatch(/cross_checks_total\{chain="1337",outcome="agreed"\} [1-9]/)
      expect(counted).not.toContain('outcome="disagreed"')
    } finally {
      await service.stop()
    }
  })

  test('check tells that it does', async () => {
    const directory = scratchDirectory()
    const args = ['check', '--rpc-url', chain.url, '--relayer-keys', anvilKeys[1]]
    const tandem = startTandem(args, directory)
    await tandem.exited
    rmSync(directory, { recursive: true })
    expect(tandem.output()).toContain(
      `ok      node ${chain.url}: traces validation by its own tracer (erc7562Tracer)`,
    )
  })

  test('our own EVM agreed every time', async () => {
    const counted = [...(await metrics.text()).matchAll(/cross_checks_total\{.*outcome="(\w+)"\} (\d+)/g)]
    const counts = Object.fromEntries(counted.map(([, outcome, count]) => [outcome, Number(count)]))
    const { agreed, ...others } = counts
    expect(agreed).toBeGreaterThan(3 * 100)
    // LIM-030 is counted as unknown.
    expect(others).toEqual({ unknown: 3 })
  })
})

describe('on anvil, which runs our script', () => {
  let chain: DevChain
  let simulator: SimulatorHandlers
  let world: RuleWorld
  beforeAll(async () => {
    chain = await startDevChain({ hardfork: 'prague' })
    simulator = await openSimulator(chain, byNode)
    const funder = privateKeyToAccount(anvilKeys[1])
    world = await createRuleWorld({ url: chain.url, chainId: chain.chainId, funder }, '0.7')
  })
  afterAll(() => chain.stop())

  /** One for each rule, since the script is slow: that breaks it, if there is such. */
  const sample = [...Map.groupBy(ruleSuite.filter(isTold), ({ rule }) => rule).values()].flatMap(
    (ofRule) => ofRule.find(({ expected }) => expected !== 'accepted') ?? ofRule.slice(0, 1),
  )
  test.each(sample.map((one) => [`${one.rule}: ${one.name}`, one] as const))(
    '%s',
    async (_, { build, expected }) => {
      const verdict = await simulator.validate(await jobOf(chain, await build(world)))
      if (expected === 'accepted') expect(asExpected(verdict)).toBe('accepted')
      else expect(asExpected(verdict)).toMatchObject(expected)
    },
  )
})

/** What the rules are told of an operation. A tracer may tell slots and contracts in any order. */
async function factsBy(kind: TracerKind, chain: { url: string }, op: UserOperation) {
  const stateOverrides = validationOverrides({ op, nonceSequence: undefined })
  const options = { tracer: tracers[kind], timeout: `${timeoutMs}ms`, stateOverrides }
  const answer = await rpc<Json>(chain.url, 'debug_traceCall', [
    ...[simulateValidationCall(op), 'latest', options],
  ])
  const call = { version: op.version, operations: [partiesOf(op)] }
  const facts = operationsOfTrace(call, readTrace(answer), { keccak: (bytes) => BigInt(keccak256(bytes)) })
  return facts.map(({ phases, hashed, ...others }) => ({
    ...others,
    hashed: new Set(hashed),
    phases: phases.map((phase) => ({ ...phase, storage: new Set(phase.storage), uses: new Set(phase.uses) })),
  }))
}
