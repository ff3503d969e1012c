import { fastestRatio, median, medianRatio, type Samples } from './in-turns.ts'
import { measureMemory } from './memory.ts'
import type { MemoryTold } from './memory-process.ts'
import { measureNodeWork, type NodeWork } from './node-work.ts'
import { measureOneValidation, type OneValidation } from './one-validation.ts'
import type { Figure } from './report.ts'
import { headOf, validationSetting } from './setting.ts'
import { measureTwoWorkers, type TwoWorkers } from './two-workers.ts'

/** Operations of as many accounts: the clock of processes ticks in 10 ms. */
const operations = 400
/** Accounts whose state all threads have at hand. */
const warmAccounts = 16

/** Validation in our own EVM beside the goals that were set for it. */
export async function measureValidation(): Promise<readonly Figure[]> {
  const setting = await validationSetting(operations)
  const { chain, ops } = setting
  const [op] = ops
  if (op === undefined) throw new Error('no operations')
  try {
    const node = await measureNodeWork(setting)
    const workers = await measureTwoWorkers(chain, ops.slice(0, warmAccounts), await headOf(chain))
    const memory = await measureMemory(chain, op)
    // Last: it changes the code of the EntryPoint.
    const one = await measureOneValidation(chain, op, await headOf(chain))
    return [...ofOne(one), ...ofWorkers(workers), ...ofNode(node), ...ofMemory(memory)]
  } finally {
    await setting.stop()
  }
}

function ofOne({ validate, estimate, ethereumjs, anvil, anvilBare }: OneValidation): Figure[] {
  const toValidation = (samples: Samples) => ({ measured: fastestRatio(samples, validate), unit: '×' })
  return [
    { what: 'a validation, state at hand', measured: median(validate), unit: 'ms', most: 0.8 },
    { what: '… in the fastest round', measured: Math.min(...validate), unit: 'ms' },
    {
      what: 'to it: the same call in @ethereumjs/evm with a step hook',
      ...toValidation(ethereumjs),
      least: 10,
    },
    { what: "to it: anvil's `eth_call` over HTTP", ...toValidation(anvil), least: 1 },
    { what: '… without the override that the call needs elsewhere', ...toValidation(anvilBare) },
    { what: 'an estimate, state at hand', measured: median(estimate), unit: 'ms', most: 3 },
  ]
}

function ofWorkers({ one, two, cpuOfOne, cpuOfTwo, oneLoop, twoLoops }: TwoWorkers): Figure[] {
  const unit = '×'
  return [
    { what: 'validations a second, two workers to one', measured: medianRatio(two, one), unit, least: 1.8 },
    { what: '… by the processor time they take', measured: 2 * medianRatio(cpuOfOne, cpuOfTwo), unit },
    { what: '… beside loops that only count', measured: medianRatio(twoLoops, oneLoop), unit },
  ]
}

function ofNode({ first, cold, warm, again, prepared, afterPrepare, plain, script }: NodeWork): Figure[] {
  return [
    { what: 'node calls, an account not seen before', measured: cold.calls, unit: '', most: 1 },
    { what: '… in so many requests', measured: cold.requests, unit: '', most: 1 },
    { what: '… the first operation after the start', measured: first.calls, unit: '' },
    { what: '… requests to a node of plain reads only', measured: plain.requests, unit: '', most: 1 },
    { what: '… and the reads in them', measured: plain.calls, unit: '' },
    {
      what: 'node calls, an account seen before, in another block',
      measured: again.calls,
      unit: '',
      most: 1,
    },
    { what: 'node calls, again in the same block', measured: warm.calls, unit: '', most: 0 },
    { what: 'node calls after a new head', measured: afterPrepare.calls, unit: '', most: 0 },
    {
      what: '… and before, to fetch ahead: requests for 200 operations',
      measured: prepared.requests,
      unit: '',
    },
    { what: 'node CPU, an account not seen before', measured: cold.cpuMs, unit: 'ms' },
    { what: 'to it: our tracer in JavaScript', measured: script.cpuMs / cold.cpuMs, unit: '×', least: 20 },
    { what: 'node CPU for plain reads', measured: plain.cpuMs, unit: 'ms' },
  ]
}

function ofMemory({ before, after }: MemoryTold): Figure[] {
  return [
    { what: 'a process of one simulator, 10,000 accounts seen', measured: after, unit: 'MB' },
    { what: '… of that since it began', measured: after - before, unit: 'MB', most: 150 },
  ]
}
