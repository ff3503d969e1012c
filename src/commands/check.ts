import { createLog } from '../base/log.ts'
import { createMetrics } from '../base/metrics.ts'
import { loadConfiguration } from '../config/load.ts'
import { checkChain } from '../service/check/check-chain.ts'
import { checkStore } from '../service/check/check-store.ts'
import { configured } from './configured.ts'

/** What would be served and what is missing. Gives the exit code: 1 when the service could not serve. */
export async function run(args: readonly string[]): Promise<number> {
  const configuration = configured(() => loadConfiguration({ args, env: process.env }))
  if (configuration === undefined) return 2
  const { service, chains } = configuration
  const context = { log: createLog({ level: 'silent' }), metrics: createMetrics() }
  const ofChains = await Promise.all(chains.map((chain) => checkChain(chain, context)))
  const ofStore = await checkStore({ url: service.database, authToken: service.databaseAuthToken })
  const findings = [ofStore, ...ofChains.flat()]
  for (const { ok, text } of findings) process.stdout.write(`${ok ? 'ok     ' : 'missing'} ${text}\n`)
  return findings.every(({ ok }) => ok) ? 0 : 1
}
