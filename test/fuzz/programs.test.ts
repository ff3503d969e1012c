import { expect, test } from 'bun:test'
import { randomCase } from './programs/case.ts'
import { fuzzPrograms } from './programs/fuzz.ts'
import { runOurs } from './programs/ours.ts'

/** A sample; `bun run fuzz` runs as many as one likes. */
const programs = 300

test('random programs end as @ethereumjs/evm has them end', async () => {
  const reports: string[] = []
  await fuzzPrograms({ seed: 0, programs, report: (line) => reports.push(line) })
  expect(reports).toEqual([])
})

test('the programs do much: they return, revert and halt, log, store, call and create', () => {
  const seen = new Set<string>()
  for (let seed = 0; seed < programs; seed++) {
    const verdict = runOurs(randomCase(seed), {
      enter: (frame) => seen.add(frame.kind),
      step: (_, opcode) => seen.add(opcode.toString(16)),
    })
    seen.add(verdict.outcome)
    if (verdict.logs.length > 0) seen.add('logs')
  }
  const kinds = ['call', 'callcode', 'delegatecall', 'staticcall', 'create', 'create2']
  const missing = [...kinds, 'returned', 'reverted', 'halted', 'logs'].filter((what) => !seen.has(what))
  expect(missing).toEqual([])
  expect(seen.size).toBeGreaterThan(100)
})
