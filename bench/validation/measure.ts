import { median, medianRatio } from './in-turns.ts'
import { measureMemory } from './memory.ts'
import { measureNodeWork } from './node-work.ts'
import { measureOneValidation } from './one-validation.ts'
import type { Figure } from './report.ts'
import { headOf, validationSetting } from './setting.ts'
import { measureTwoWorkers } from './two-workers.ts'

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

    const { validate, estimate, ethereumjs, anvil, anvilBare } = one
    return [
      { what: 'a validation, warm', measured: median(validate), unit: 'ms', most: 0.8 },
      {
        what: '@ethereumjs/evm, the EVM run alone, to it',
        measured: medianRatio(ethereumjs, validate),
        unit: '×',
        least: 10,
      },
      {
        what: "anvil's `eth_call` over HTTP to it",
        measured: medianRatio(anvil, validate),
        unit: '×',
        least: 1,
      },
      {
        what: 'the same where the chain had the code of the simulation',
        measured: medianRatio(anvilBare, validate),
        unit: '×',
      },
      {
        what: 'two workers to one, validations a second',
        measured: medianRatio(workers.two, workers.one),
        unit: '×',
        least: 1.8,
      },
      { what: 'an estimate, warm', measured: median(estimate), unit: 'ms', most: 3 },
      { what: 'node calls for an account that is new', measured: node.cold.calls, unit: '', most: 1 },
      {
        what: 'on a node that answers plain reads only: requests',
        measured: node.plain.requests,
        unit: '',
        most: 1,
      },
      { what: '… and calls in them', measured: node.plain.calls, unit: '' },
      { what: 'node calls for the first operation after the start', measured: node.first.calls, unit: '' },
      { what: 'node calls, warm', measured: node.warm.calls, unit: '', most: 0 },
      {
        what: 'node calls after a new head, fetched ahead',
        measured: node.afterPrepare.calls,
        unit: '',
        most: 0,
      },
      { what: '… and requests to fetch ahead, an operation', measured: node.prepared.requests, unit: '' },
      {
        what: 'node CPU of a tracer in JavaScript to that of a new account',
        measured: node.script.cpuMs / node.cold.cpuMs,
        unit: '×',
        least: 20,
      },
      {
        what: '… and to that of plain reads',
        measured: node.script.cpuMs / node.plain.cpuMs,
        unit: '×',
        least: 20,
      },
      { what: 'node CPU for a new account', measured: node.cold.cpuMs, unit: 'ms' },
      {
        what: 'memory of a process with one simulator, 10,000 accounts seen',
        measured: memory.after,
        unit: 'MB',
      },
      { what: '… of that the simulator', measured: memory.after - memory.before, unit: 'MB', most: 150 },
    ]
  } finally {
    await setting.stop()
  }
}
