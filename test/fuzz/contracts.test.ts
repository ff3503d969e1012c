import { expect, test } from 'bun:test'
import { fuzzContracts } from './contracts/fuzz.ts'

/** A sample; `bun run fuzz` sends as many as one likes. */
const calls = 150

test('transactions to real contracts do on anvil what they do in our EVM', async () => {
  const reports: string[] = []
  const tally = await fuzzContracts({
    hardfork: 'prague',
    seed: 7,
    calls,
    report: (line) => reports.push(line),
  })
  expect(reports).toEqual([])
  // A sample in which little works would show little.
  expect(tally.succeeded).toBeGreaterThan(calls / 5)
  expect(tally.failed).toBeGreaterThan(calls / 10)
})
