import type { UserOperation } from '../../src/types/userop.ts'
import { simulateValidationCall, simulationOverride } from '../../src/validation/simulation.ts'
import type { SimulatorHandlers } from '../../src/validation/simulator-host.ts'
import { tracers } from '../../src/validation/traced/tracer-kind.ts'
import { rpc } from '../../test/support/devChain.ts'
import { openSimulator } from '../../test/support/engines.ts'
import { costOf } from '../load/process-cost.ts'
import { headOf, jobOf, type Setting } from './setting.ts'

/** What a node did for an operation. */
export type Work = { cpuMs: number; calls: number; requests: number }

export type NodeWork = {
  /** The very first operation of a thread that knows nothing. */
  first: Work
  /** Accounts that nobody has asked about before. */
  cold: Work
  /** The same operations once more in the same block. */
  warm: Work
  /** The same operations in another block. */
  again: Work
  /** A new head: what half of the operations need is fetched ahead, all told. */
  prepared: Work
  /** Their validation after it. */
  afterPrepare: Work
  /** `cold` on a node that answers plain reads only, accounts of one code. */
  plain: Work
  /** `debug_traceCall` with our tracer in JavaScript. */
  script: Work
}

/** Methods beside plain reads; providers refuse them, or charge for them. */
const helps = ['debug_traceCall', 'eth_createAccessList', 'eth_call']
/** Traces; one takes a node tens of ms. */
const traces = 30

export async function measureNodeWork(setting: Setting): Promise<NodeWork> {
  const { chain, counted, ops } = setting
  const half = ops.slice(0, ops.length / 2)
  const [opener, ...others] = half
  if (opener === undefined) throw new Error('no operations')
  const simulator = await openSimulator(counted)
  const pass = (each: readonly UserOperation[]) => validateAll(simulator, setting, each)
  const first = await workOf(setting, 1, () => pass([opener]))
  const cold = await workOf(setting, others.length, () => pass(others))
  const warm = await workOf(setting, half.length, () => pass(half))
  await rpc(chain.url, 'anvil_mine', ['0x1'])
  const again = await workOf(setting, others.length, () => pass(others))
  await rpc(chain.url, 'anvil_mine', ['0x1'])
  const block = await headOf(chain)
  const prepared = await workOf(setting, 1, async () => {
    await simulator.prepare({ chainId: chain.chainId, block, ops: half, reorg: false })
  })
  const afterPrepare = await workOf(setting, half.length, () => pass(half))

  counted.refuse(helps, { code: -32601, message: 'the method does not exist' })
  const plainly = await openSimulator(counted)
  const [teacher, ...pupils] = ops.slice(ops.length / 2)
  if (teacher === undefined) throw new Error('no operations')
  await validateAll(plainly, setting, [teacher])
  const plain = await workOf(setting, pupils.length, () => validateAll(plainly, setting, pupils))
  counted.refuse([])

  const tracing = { tracer: tracers.script, stateOverrides: simulationOverride('0.7') }
  const script = await workOf(setting, traces, async () => {
    for (const op of ops.slice(0, traces))
      await rpc(counted.url, 'debug_traceCall', [simulateValidationCall(op), 'latest', tracing])
  })
  return { first, cold, warm, again, prepared, afterPrepare, plain, script }
}

async function validateAll(
  simulator: SimulatorHandlers,
  { chain }: Setting,
  ops: readonly UserOperation[],
): Promise<void> {
  const block = await headOf(chain)
  for (const op of ops) {
    const verdict = await simulator.validate(jobOf(chain.chainId, op, block))
    if (verdict.kind !== 'accepted' || verdict.facts.level !== 'full')
      throw new Error(JSON.stringify(verdict))
  }
}

async function workOf(
  { chain, counted }: Setting,
  operations: number,
  task: () => Promise<void>,
): Promise<Work> {
  const now = () => ({
    cpuMs: costOf(chain.process.pid).cpuMs,
    calls: [...counted.calls.values()].reduce((sum, each) => sum + each, 0),
    requests: counted.requests,
  })
  const before = now()
  await task()
  const after = now()
  return {
    cpuMs: (after.cpuMs - before.cpuMs) / operations,
    calls: (after.calls - before.calls) / operations,
    requests: (after.requests - before.requests) / operations,
  }
}
