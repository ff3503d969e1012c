import { expect, test } from 'bun:test'
import { randomCase } from './programs/case.ts'
import { fuzzPrograms } from './programs/fuzz.ts'
import { runOurs } from './programs/ours.ts'

/** A sample; `bun run fuzz` runs as many as one likes. */
const programs = 150

test('random programs end as @ethereumjs/evm has them end', async () => {
  const reports: string[] = []
  await fuzzPrograms({ seed: 0, programs, report: (line) => reports.push(line) })
  expect(reports).toEqual([])
})

test('found: a constructor that reverts with 0xEF keeps its gas, as EIP-3541 is about code that is left', () => {
  const given = randomCase(0)
  const { caller, value } = given.message
  // MSTORE8(0, 0xef); REVERT(0, 1)
  const initCode = Uint8Array.fromHex('60ef5f5360015ffd')
  const verdict = runOurs({ ...given, message: { kind: 'create', caller, value, gas: 50_000, initCode } })
  expect(verdict).toMatchObject({ outcome: 'reverted', output: 'ef', gasUsed: '16' })
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
