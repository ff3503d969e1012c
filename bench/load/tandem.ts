import { join } from 'node:path'
import { type BundlerKind, scratch, startBundler } from './bundler.ts'

const main = join(import.meta.dir, '../../src/main.ts')

/** This program, from source, as it comes: a file database, fsync before every acknowledgement. */
export const tandem: BundlerKind = {
  name: 'Tandem',
  async prepare() {},
  start({ nodeUrl, chainId, port, keys }) {
    const { directory, remove } = scratch()
    const flags = [
      '--rpc-url',
      nodeUrl,
      '--relayer-keys',
      keys.join(','),
      '--port',
      String(port),
      '--admin-port',
      'none',
      '--log-level',
      'warn',
    ]
    return startBundler({
      name: this.name,
      command: [process.execPath, main, 'serve', ...flags],
      url: `http://127.0.0.1:${port}/v1/${chainId}/`,
      directory,
      onStop: remove,
    })
  },
}
