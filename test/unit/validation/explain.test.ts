import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { getAddress, type Hex, numberToHex, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { anvilKeys } from '../../../src/dev/anvil.ts'
import { entryPoints } from '../../../src/types/entrypoint.ts'
import { type EntryPointVersion, entryPointVersions } from '../../../src/types/entrypoint-version.ts'
import type { CallNode, Explanation } from '../../../src/types/explanation.ts'
import type { StateOverrides } from '../../../src/types/ports/simulator.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import type { SimulatorHandlers } from '../../../src/validation/simulator-host.ts'
import { execute, fund, signedOperation, simpleAccount } from '../../support/accounts.ts'
import { type DevChain, rpc, startDevChain } from '../../support/devChain.ts'
import { openSimulator } from '../../support/engines.ts'
import { type OpenContracts, openContracts } from '../../support/open.ts'
import { opcode, touch } from '../../support/rules/actions.ts'
import { buildOperation } from '../../support/rules/suite.ts'
import { createRuleWorld } from '../../support/rules/world.ts'
import { latestBlock } from '../../support/simulation.ts'

let chain: DevChain
let open: OpenContracts
let simulator: SimulatorHandlers
beforeAll(async () => {
  chain = await startDevChain()
  open = await openContracts(chain)
  simulator = await openSimulator(chain)
})
afterAll(() => chain.stop())

async function explain(op: UserOperation, stateOverrides?: StateOverrides): Promise<Explanation> {
  const block = await latestBlock(chain)
  return simulator.explain({ chainId: chain.chainId, op, block, nonceSequence: undefined, stateOverrides })
}

/** What was run; fails when nothing was. */
function handled({ handled }: Explanation) {
  if (handled === undefined) throw new Error('nothing was run')
  return handled
}

const all = (call: CallNode): CallNode[] => [call, ...call.calls.flatMap(all)]
const beginning = (explanation: Explanation, phase: string): CallNode | undefined =>
  all(handled(explanation).calls).find((call) => call.phase === phase)

/** ERC-1967 */
const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'

async function fundedOperation(version: EntryPointVersion, callData?: Hex): Promise<UserOperation> {
  const account = await simpleAccount(chain, version)
  await fund(chain, account.address)
  return signedOperation(chain, account, callData === undefined ? {} : { callData })
}

describe.each([...entryPointVersions])('EntryPoint %s', (version) => {
  test('an operation that is accepted: its phases, its calls by name, its storage', async () => {
    const op = await fundedOperation(version, execute('0x000000000000000000000000000000000000dEaD', 1n))
    const explanation = await explain(op)
    expect(explanation).toMatchObject({
      verdict: { kind: 'accepted', facts: { level: 'full' } },
      findings: [],
    })

    const { phases, calls, storage, verificationGas } = handled(explanation)
    expect(phases.map(({ phase, succeeded, limit }) => ({ phase, succeeded, limit }))).toEqual([
      { phase: 'create', succeeded: true, limit: op.verificationGasLimit },
      { phase: 'validate', succeeded: true, limit: op.verificationGasLimit },
      { phase: 'execute', succeeded: true, limit: op.callGasLimit },
    ])
    for (const { gasUsed, leastGas, limit } of phases) {
      expect(gasUsed).toBeGreaterThan(0)
      expect(leastGas).toBeGreaterThanOrEqual(gasUsed)
      expect(BigInt(leastGas)).toBeLessThan(limit)
    }
    expect(BigInt(verificationGas ?? 0)).toBeLessThan(op.verificationGasLimit)
    expect(calls).toMatchObject({ to: entryPoints[version].address, decoded: { name: 'handleOps' } })
    expect(beginning(explanation, 'validate')).toMatchObject({
      to: op.sender,
      decoded: {
        name: 'validateUserOp',
        args: [{ sender: op.sender }, expect.any(String), expect.any(String)],
      },
      result: 'returned',
    })
    expect(beginning(explanation, 'execute')).toMatchObject({
      decoded: { name: 'execute', args: ['0x000000000000000000000000000000000000dEaD', '0x1', '0x'] },
    })
    expect(storage).toContainEqual({
      ...{ contract: op.sender, slot: implementationSlot },
      ...{ isRead: true, isWritten: true, isTransient: false, phases: ['create', 'validate', 'execute'] },
      ...{ before: numberToHex(0n, { size: 32 }), after: expect.stringMatching(/^0x0{24}[0-9a-f]{40}$/) },
    })
  })

  test('a wrong signature does not hide what the call would do', async () => {
    const target = await open.deploy('Reverter')
    const callData = execute(target, 0n, open.call('Reverter', 'withReason'))
    const op = { ...(await fundedOperation(version)), callData }
    const explanation = await explain(op)
    expect(explanation.verdict).toMatchObject({ kind: 'rejected', error: { data: { aaCode: 'AA24' } } })
    expect(handled(explanation).phases.at(-1)).toMatchObject({ phase: 'execute', succeeded: false })
    expect(all(handled(explanation).calls)).toContainEqual(
      expect.objectContaining({ to: getAddress(target), result: 'reverted', revert: 'not today' }),
    )
  })

  test('an operation that the EntryPoint refuses: where it was', async () => {
    const op = await open.operation(version, {}, { refusal: 'closed' })
    const explanation = await explain(op)
    expect(explanation.verdict).toMatchObject({ kind: 'rejected', error: { data: { aaCode: 'AA23' } } })
    expect(beginning(explanation, 'validate')).toMatchObject({ result: 'reverted', revert: 'closed' })
    expect(handled(explanation).calls).toMatchObject({ result: 'reverted' })
  })

  test("a paymaster's part and postOp", async () => {
    const paymaster = await open.paymaster(version, parseEther('1'), { contextSize: 96n, postOpSlots: 2n })
    const limits =
      version === '0.6' ? {} : { paymasterVerificationGasLimit: 100_000n, paymasterPostOpGasLimit: 80_000n }
    const op = await open.operation(version, { paymaster, ...limits })
    const explanation = await explain(op)
    expect(handled(explanation).phases.map(({ phase }) => phase)).toEqual([
      'validate',
      'paymaster',
      'execute',
      'postOp',
    ])
    expect(beginning(explanation, 'postOp')).toMatchObject({ to: getAddress(paymaster), result: 'returned' })
  })

  test('state overrides hold', async () => {
    const account = await simpleAccount(chain, version)
    const op = await signedOperation(chain, account)
    expect((await explain(op)).verdict).toMatchObject({ error: { data: { aaCode: 'AA21' } } })
    const rich = { [op.sender]: { balance: numberToHex(parseEther('1')) } }
    expect((await explain(op, rich)).verdict.kind).toBe('accepted')
  })

  test('all rules that it breaks, those that stake would lift, and those that stake does lift', async () => {
    const funder = privateKeyToAccount(anvilKeys[1])
    const world = await createRuleWorld({ url: chain.url, chainId: chain.chainId, funder }, version)
    const explained = async (paymaster: 'staked' | 'unstaked') => {
      const op = await buildOperation(world, {
        paymaster,
        account: () => [opcode('NUMBER')],
        inPaymaster: () => [touch('load', 5n)],
      })
      const { verdict, findings } = await explain(op)
      return { verdict, findings: findings.map(({ rule, entity, isLifted }) => ({ rule, entity, isLifted })) }
    }
    expect(await explained('unstaked')).toMatchObject({
      verdict: { kind: 'rejected', error: { data: { rule: 'OP-011' } } },
      findings: [
        { rule: 'OP-011', entity: 'account', isLifted: false },
        { rule: 'STO-031', entity: 'paymaster', isLifted: false },
      ],
    })
    expect(await explained('staked')).toMatchObject({
      findings: [
        { rule: 'OP-011', entity: 'account', isLifted: false },
        { rule: 'STO-031', entity: 'paymaster', isLifted: true },
      ],
    })
  })
})

test('code that calls without end is told as far as there is room', async () => {
  const looping = '0x00000000000000000000000000000000c0ffee00'
  // JUMPDEST, CALL of the identity precompile with no gas to speak of, again
  await rpc(chain.url, 'anvil_setCode', [looping, '0x5b5f5f5f5f5f6004610100f1505f56'])
  const op = await open.operation('0.7', { callData: execute(looping), callGasLimit: 3_000_000n })
  const explanation = await explain(op)
  expect(all(handled(explanation).calls)).toHaveLength(1_000)
  expect(handled(explanation).callsLeftOut).toBeGreaterThan(5_000)
  expect(beginning(explanation, 'execute')).toMatchObject({ result: 'reverted' })
})

test('the node engine tells the verdict alone', async () => {
  const byNode = await openSimulator(chain, { validationEngine: 'node', lowestValidation: 'basic' })
  const op = await fundedOperation('0.8')
  const block = await latestBlock(chain)
  const job = { chainId: chain.chainId, op, block, nonceSequence: undefined, stateOverrides: undefined }
  expect(await byNode.explain(job)).toMatchObject({
    verdict: { kind: 'accepted' },
    findings: [],
    handled: undefined,
  })
})
