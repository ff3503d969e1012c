import type { ChainRules } from '../../src/evm/environment.ts'
import { evmChain } from '../support/evmChain.ts'
import type { FixtureFile } from './fixture.ts'
import { type CaseReport, runFixture } from './run-fixture.ts'

declare const self: Worker

async function runFile(path: string, chain: ChainRules): Promise<CaseReport[]> {
  const file: FixtureFile = await Bun.file(path).json()
  const reports: CaseReport[] = []
  for (const [name, fixture] of Object.entries(file))
    reports.push(...(await runFixture(name, fixture, chain)))
  return reports
}

const chain = evmChain('cancun')
self.onmessage = async ({ data: path }: MessageEvent<string>) =>
  self.postMessage(await runFile(path, await chain))
