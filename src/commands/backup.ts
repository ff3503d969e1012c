import { describe } from '../base/errors.ts'
import { loadBackupConfiguration } from '../config/load.ts'
import { backUp } from '../store/backup.ts'
import { configured } from './configured.ts'

/** A copy of the database, whole and checked, or none. Gives the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const configuration = configured(() => loadBackupConfiguration({ args, env: process.env }))
  if (configuration === undefined) return 2
  const { database, databaseAuthToken, to } = configuration
  try {
    const { bytes } = await backUp({ url: database, authToken: databaseAuthToken }, to)
    process.stdout.write(`tandem: ${to} is a backup of ${(bytes / 2 ** 20).toFixed(1)} MiB\n`)
    return 0
  } catch (error) {
    process.stderr.write(`tandem: no backup was made: ${describe(error)}\n`)
    return 1
  }
}
