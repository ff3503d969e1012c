import type { Context } from '../base/context.ts'
import { describe } from '../base/errors.ts'
import { createLog } from '../base/log.ts'
import { createMetrics } from '../base/metrics.ts'
import { loadConfiguration } from '../config/load.ts'
import { checkChain, type Finding } from '../service/check.ts'
import type { StoreOptions } from '../store/client.ts'
import { openStore } from '../store/store.ts'
import { configured } from './configured.ts'

/** What would be served and what is missing. Gives the exit code: 1 when the service could not serve. */
export async function run(args: readonly string[]): Promise<number> {
  const configuration = configured(() => loadConfiguration({ args, env: process.env }))
  if (configuration === undefined) return 2
  const { service, chains } = configuration
  const context = { log: createLog({ level: 'silent' }), metrics: createMetrics() }
  const findings = await Promise.all([
    checkStore({ url: service.database, authToken: service.databaseAuthToken }, context),
    ...chains.map((chain) => checkChain(chain, context)),
  ])
  for (const { ok, text } of findings.flat()) process.stdout.write(`${ok ? 'ok     ' : 'missing'} ${text}\n`)
  return findings.flat().every(({ ok }) => ok) ? 0 : 1
}

async function checkStore(options: StoreOptions, context: Context): Promise<Finding[]> {
  try {
    const store = await openStore(options, context)
    await store.ping(undefined)
    await store.close(undefined)
    return [{ ok: true, text: 'database' }]
  } catch (error) {
    return [{ ok: false, text: `database: ${describe(error)}` }]
  }
}
