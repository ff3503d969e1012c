import { join } from 'node:path'
import { type RunningBundler, startBundler } from '../load/bundler.ts'

const main = join(import.meta.dir, '../../src/main.ts')

export type SoakService = RunningBundler & { log: string; file: string | undefined }

/** `tandem serve` from source, or the executable `binary`, in `directory`; its log goes to a file there. */
export async function startService(options: {
  nodeUrl: string
  chainId: number
  port: number
  keys: readonly string[]
  binary: string | undefined
  database: string | undefined
  flags: readonly string[]
  directory: string
}): Promise<SoakService> {
  const { nodeUrl, chainId, port, keys, binary, database, flags, directory } = options
  const program = binary === undefined ? [process.execPath, main] : [binary]
  const log = join(directory, 'tandem.log')
  const common = ['--rpc-url', nodeUrl, '--relayer-keys', keys.join(','), '--port', String(port)]
  const rest = [
    '--admin-port',
    'none',
    '--log-level',
    'warn',
    ...(database === undefined ? [] : ['--database', database]),
    ...flags,
  ]
  const bundler = await startBundler({
    name: 'tandem',
    command: [...program, 'serve', ...common, ...rest],
    url: `http://127.0.0.1:${port}/v1/${chainId}/`,
    directory,
    log,
  })
  return { ...bundler, log, file: fileOf(database, directory) }
}

function fileOf(database: string | undefined, directory: string): string | undefined {
  if (database === undefined) return join(directory, 'tandem.db')
  return database.startsWith('file:') ? database.slice('file:'.length) : undefined
}
