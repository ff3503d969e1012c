import { parseArgs } from 'node:util'
import { fuzzPrograms } from './programs/fuzz.ts'

/**
 * `bun run fuzz [--programs 100000] [--seed 0]`: random programs in our EVM and in @ethereumjs/evm. Prints each difference, made
 * small, with the seed that shows it again; ends with 1 if there is one.
 */
const { values } = parseArgs({
  options: {
    programs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '0' },
  },
})
const started = performance.now()
const report = (line: string) => process.stdout.write(`${line}\n`)
const options = { seed: Number(values.seed), programs: Number(values.programs), report }
const differing = await fuzzPrograms(options)
const seconds = (performance.now() - started) / 1000
report(
  `${options.programs} programs from seed ${options.seed}: ${differing.length} differ (${seconds.toFixed(0)} s)`,
)
process.exitCode = differing.length === 0 ? 0 : 1
