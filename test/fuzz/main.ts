import { parseArgs } from 'node:util'
import { fuzzContracts, type Tally } from './contracts/fuzz.ts'
import { fuzzPrograms } from './programs/fuzz.ts'

/** Then a new chain: as time goes on owners give contracts away and spend what they have, and less and less succeeds. */
const callsAScene = 500

/**
 * `bun run fuzz [--programs 100000] [--calls 10000] [--seed 0]`: random programs in our EVM and in @ethereumjs/evm, then
 * random transactions to real contracts in our EVM and on anvil, half of them in Prague and half in Osaka. Prints each
 * difference, a program's made small, with the seed that shows it again; ends with 1 if there is one.
 */
const { values } = parseArgs({
  options: {
    programs: { type: 'string', default: '100000' },
    calls: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '0' },
  },
})
const [programs, calls, seed] = [Number(values.programs), Number(values.calls), Number(values.seed)]
const report = (line: string) => process.stdout.write(`${line}\n`)
let differences = 0

if (programs > 0) {
  const started = performance.now()
  const { differing, theirFlaws } = await fuzzPrograms({ seed, programs, report })
  differences += differing.length
  const flaws = `${theirFlaws.length} met a flaw of @ethereumjs/evm`
  report(
    `${programs} programs from seed ${seed}: ${differing.length} differ, ${flaws} (${seconds(started)} s)`,
  )
}

for (const hardfork of calls > 0 ? (['prague', 'osaka'] as const) : []) {
  const started = performance.now()
  const tallies: Tally[] = []
  for (let done = 0; done < calls / 2; done += callsAScene) {
    const start = seed + done + (hardfork === 'osaka' ? calls : 0)
    const some = { hardfork, seed: start, calls: Math.min(callsAScene, calls / 2 - done) }
    tallies.push(await fuzzContracts({ ...some, report }))
  }
  const total = (what: keyof Tally) => tallies.reduce((sum, tally) => sum + tally[what], 0)
  differences += total('differing')
  const ends = `${total('succeeded')} succeeded, ${total('failed')} reverted, ${total('refused')} refused`
  report(
    `${total('compared')} calls in ${hardfork}: ${total('differing')} differ; ${ends} (${seconds(started)} s)`,
  )
}
process.exitCode = differences === 0 ? 0 : 1

function seconds(started: number): string {
  return ((performance.now() - started) / 1000).toFixed(0)
}
