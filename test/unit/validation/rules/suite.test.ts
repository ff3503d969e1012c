import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { privateKeyToAccount } from 'viem/accounts'
import { anvilKeys } from '../../../../src/dev/anvil.ts'
import { entryPointVersions } from '../../../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../../../src/types/userop.ts'
import type { BundleVerdict, ValidationScope } from '../../../../src/types/verdict.ts'
import { validationGasSlack } from '../../../../src/validation/rules/limit-rules.ts'
import type { SimulatorHandlers } from '../../../../src/validation/simulator-host.ts'
import { transact } from '../../../support/bundles.ts'
import { type DevChain, startDevChain } from '../../../support/devChain.ts'
import { openSimulator } from '../../../support/engines.ts'
import { anySlot, call, opcode, perform, staticcall, unlockStake } from '../../../support/rules/actions.ts'
import { observe, simulated } from '../../../support/rules/judge.ts'
import { buildOperation, ruleSuite } from '../../../support/rules/suite.ts'
import { createRuleWorld, type RuleWorld } from '../../../support/rules/world.ts'
import { latestBlock } from '../../../support/simulation.ts'

let chain: DevChain
let simulator: SimulatorHandlers
beforeAll(async () => {
  chain = await startDevChain({ hardfork: 'prague' })
  simulator = await openSimulator(chain)
})
afterAll(() => chain.stop())

const funder = privateKeyToAccount(anvilKeys[1])
const createWorld = (version: UserOperation['version']) =>
  createRuleWorld({ url: chain.url, chainId: chain.chainId, funder }, version)

async function validate(op: UserOperation) {
  const block = await latestBlock(chain)
  return simulator.validate({ chainId: chain.chainId, op, block, nonceSequence: undefined })
}

/** The verdict of our own EVM, as the suite writes it. */
async function judge(op: UserOperation) {
  const verdict = await validate(op)
  switch (verdict.kind) {
    case 'accepted':
      return verdict.facts.level === 'full' ? 'accepted' : 'accepted unseen'
    case 'rejected':
      return { code: verdict.error.code, ...verdict.error.data }
    case 'unknown':
      return verdict
  }
}

describe.each([...entryPointVersions])('with EntryPoint %s', (version) => {
  let world: RuleWorld
  beforeAll(async () => {
    world = await createWorld(version)
  })

  const suite = ruleSuite.filter(({ versions }) => versions?.includes(version) ?? true)
  test.each(suite.map((ruleCase) => [`${ruleCase.rule}: ${ruleCase.name}`, ruleCase] as const))(
    '%s',
    async (_, { build, expected }) => {
      const verdict = await judge(await build(world))
      if (expected === 'accepted') expect(verdict).toBe('accepted')
      else expect(verdict).toMatchObject(expected)
    },
  )

  test('in a bundle the facts are those of each operation alone', async () => {
    const ops = [
      await buildOperation(world, { sender: 'new', paymaster: 'staked', contextSize: 64 }),
      await buildOperation(world, { execution: ({ idle }) => [staticcall(idle)] }),
      await buildOperation(world, { sender: 'delegated', paymaster: 'unstaked' }),
      await buildOperation(world, { sender: 'new', factory: 'staked' }),
    ]
    const alone = await Promise.all(ops.map(async (op) => (await simulated(chain, op)).facts))
    const { facts, outcome } = await observe(chain, ops, 'bundled')
    expect(outcome).toEqual({ kind: 'returned', data: '0x' })
    expect(facts.map(({ phases }) => phases.map(({ entity }) => entity))).toEqual([
      ['factory', 'account', 'paymaster'],
      ['account'],
      ['account', 'paymaster'],
      ['factory', 'account'],
    ])
    const lasting = (all: typeof facts) =>
      all.map(({ phases, gas, ...others }) => ({
        ...others,
        phases: phases.map(({ gasUsed, ...phase }) => phase),
      }))
    expect(lasting(facts)).toEqual(lasting(alone))
    for (const [index, { gas }] of facts.entries()) {
      const excess = (gas.verification ?? Number.NaN) - (alone[index]?.gas.verification ?? 0)
      expect(excess).toBeLessThan(Number(validationGasSlack))
    }
  })
})

describe('a bundle', () => {
  let world: RuleWorld
  beforeAll(async () => {
    world = await createWorld('0.7')
  })

  async function scopeOf(op: UserOperation): Promise<ValidationScope> {
    const verdict = await validate(op)
    if (verdict.kind !== 'accepted' || verdict.facts.scope === undefined) throw new Error('no scope')
    return verdict.facts.scope
  }

  function checkBundle(
    ops: readonly UserOperation[],
    scopes: readonly (ValidationScope | undefined)[] = [],
  ): Promise<BundleVerdict> {
    return simulator.checkBundle({
      ...{ chainId: chain.chainId, version: '0.7', ops, scopes },
      ...{ from: funder.address, beneficiary: funder.address },
      ...{ gasLimit: 5_000_000n, maxFeePerGas: 5_000_000_000n, block: 'latest' },
    })
  }

  test('passes with operations that do as they did', async () => {
    const ops = [
      await buildOperation(world, { paymaster: 'staked', contextSize: 64 }),
      await buildOperation(world, { sender: 'new', paymaster: 'staked' }),
    ]
    const scopes = await Promise.all(ops.map(scopeOf))
    expect(await checkBundle(ops, scopes)).toEqual({ kind: 'passes', authorizations: [], drifts: [] })
  })

  test('OP-011: is held against the rules itself', async () => {
    const ops = [
      await buildOperation(world, {}),
      await buildOperation(world, { account: () => [opcode('TIMESTAMP')] }),
    ]
    expect(await checkBundle(ops)).toMatchObject({
      ...{ kind: 'fails', index: 1 },
      error: { code: -32502, data: { rule: 'OP-011', entity: 'account' } },
    })
  })

  test('SREP-010: relies on a stake that is locked still', async () => {
    const op = await buildOperation(world, {
      sender: 'staked',
      account: ({ registry }) => [staticcall(registry, { data: anySlot('read', 5n) })],
    })
    const scope = await scopeOf(op)
    expect(await checkBundle([op], [scope])).toMatchObject({ kind: 'passes' })
    await transact(chain, op.sender, perform(call(world.entryPoint, { data: unlockStake })))
    expect(await checkBundle([op], [scope])).toMatchObject({
      ...{ kind: 'fails', index: 0 },
      error: { code: -32505, data: { rule: 'STO-033', entity: 'account' } },
    })
  })

  test('COD-010: relies on the code that was there before', async () => {
    const op = await buildOperation(world, { sender: 'delegated' })
    const scope = await scopeOf(op)
    expect(await checkBundle([op], [scope])).toMatchObject({ kind: 'passes' })
    await world.changeDelegate()
    expect(await judge(op)).toBe('accepted')
    expect(await checkBundle([op], [scope])).toMatchObject({
      ...{ kind: 'fails', index: 0 },
      error: {
        code: -32502,
        message: 'account relied on the code of the account, which changed since',
        data: { rule: 'COD-010', entity: 'account', address: op.sender, contract: op.sender },
      },
    })
  })

  test('EREP-055: fails by the paymaster whose context changed, not by who reverts', async () => {
    const drifting = await buildOperation(world, { paymaster: 'staked', contextSize: 64 })
    const failing = await buildOperation(world, { changes: { nonce: 7n } })
    const scope = await scopeOf(drifting)
    const earlier = { ...scope, contextSize: 32 }
    expect(await checkBundle([drifting, failing], [scope, undefined])).toMatchObject({
      ...{ kind: 'fails', index: 1 },
      error: { data: { aaCode: 'AA25' } },
    })
    expect(await checkBundle([drifting, failing], [earlier, undefined])).toMatchObject({
      ...{ kind: 'fails', index: 0 },
      error: { code: -32502, data: { rule: 'EREP-055', entity: 'paymaster' } },
    })
    expect(await checkBundle([drifting], [earlier])).toMatchObject({
      kind: 'passes',
      drifts: [{ index: 0, rule: 'EREP-055' }],
    })
  })

  test('EREP-070: passes, and tells which staked entity used less gas', async () => {
    const op = await buildOperation(world, { paymaster: 'staked' })
    const scope = await scopeOf(op)
    const earlier = { ...scope, gasByPhase: scope.gasByPhase.map((gas) => gas * 10) }
    expect(await checkBundle([op], [earlier])).toMatchObject({
      kind: 'passes',
      drifts: [{ index: 0, rule: 'EREP-070', error: { data: { entity: 'paymaster' } } }],
    })
  })
})
