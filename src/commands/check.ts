import { loadConfiguration } from '../config/load.ts'
import { configured } from './configured.ts'

/** Gives the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const configuration = configured(() => loadConfiguration({ args, env: process.env }))
  if (configuration === undefined) return 2
  process.stderr.write('not built yet\n')
  return 1
}
