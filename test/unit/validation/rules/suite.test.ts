import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { anvilKeys } from '../../../../src/dev/anvil.ts'
import { entryPointVersions } from '../../../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../../../src/types/userop.ts'
import { checkRules } from '../../../../src/validation/rules/check-rules.ts'
import { validationGasSlack } from '../../../../src/validation/rules/limit-rules.ts'
import { rejectionOfFinding, worstOf } from '../../../../src/validation/rules/rejection.ts'
import { type DevChain, startDevChain } from '../../../support/devChain.ts'
import { staticcall } from '../../../support/rules/actions.ts'
import { observe, simulated } from '../../../support/rules/judge.ts'
import { buildOperation, ruleSuite } from '../../../support/rules/suite.ts'
import { createRuleWorld, type RuleWorld } from '../../../support/rules/world.ts'

const required = { minStake: parseEther('1'), minUnstakeDelay: 86_400 }

let chain: DevChain
beforeAll(async () => {
  chain = await startDevChain({ hardfork: 'prague' })
})
afterAll(() => chain.stop())

/** The verdict of the rules on what our own EVM shows, as the suite writes it. */
async function judge(op: UserOperation) {
  const { facts, result } = await simulated(chain, op)
  const stakes = { account: result.sender, factory: result.factory, paymaster: result.paymasterStake }
  const precompiles = new Set([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n])
  const worst = worstOf(checkRules(facts, op, { stakes, required, precompiles }))
  if (worst === undefined) return 'accepted'
  const { code, data } = rejectionOfFinding(worst, required)
  return { code, ...data }
}

describe.each([...entryPointVersions])('with EntryPoint %s', (version) => {
  let world: RuleWorld
  beforeAll(async () => {
    const funder = privateKeyToAccount(anvilKeys[1])
    world = await createRuleWorld({ url: chain.url, chainId: chain.chainId, funder }, version)
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
