import { loadConfiguration } from '../config/load.ts'
import { type Service, startService } from '../service/service.ts'
import { configured } from './configured.ts'
import { createLifecycle, failStart } from './lifecycle.ts'

/** Serves until it is told to stop. Gives the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const configuration = configured(() => loadConfiguration({ args, env: process.env }))
  if (configuration === undefined) return 2
  const lifecycle = createLifecycle(configuration.service)
  try {
    const service = await startService(configuration, lifecycle)
    lifecycle.shutdown.signal.throwIfAborted()
    process.stdout.write(`${readyLine(service)}\n`)
  } catch (error) {
    return failStart(error, lifecycle)
  }
  return lifecycle.stopped
}

/** Others wait for this line: it comes when every chain is served. */
export function readyLine({ url, adminUrl, paymasterUrl, bundlers }: Service): string {
  const chains = [...bundlers.keys()].map((chainId) => `${url}/v1/${chainId}/`)
  const paymaster = paymasterUrl === undefined ? '' : ` paymaster: ${paymasterUrl}`
  const operator = adminUrl === undefined ? '' : ` operator: ${adminUrl}`
  return `tandem ready: ${chains.join(' ')}${paymaster}${operator}`
}
