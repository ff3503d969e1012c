import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BundlerKind, startBundler } from './bundler.ts'

const version = '0.0.20'
const directory = join(tmpdir(), `tandem-bench-alto-${version}`)
/** Its newest dependencies want a viem that does not install; this one works. */
const manifest = {
  private: true,
  dependencies: { '@pimlico/alto': version },
  overrides: { viem: '2.57.0' },
}

/** Pimlico's alto from npm, in its unsafe mode, as its safe mode cannot run on anvil. Its first key is the utility's. */
export const alto: BundlerKind = {
  name: `alto ${version}`,
  async prepare() {
    if (existsSync(join(directory, 'node_modules/.bin/alto'))) return
    await Bun.write(join(directory, 'package.json'), JSON.stringify(manifest))
    const install = Bun.spawn(['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: directory,
      stdout: 'ignore',
      stderr: 'inherit',
    })
    if ((await install.exited) !== 0) throw new Error('alto could not be installed')
  },
  start({ nodeUrl, port, entryPoints, keys }) {
    const [utility, ...executors] = keys
    const flags = {
      entrypoints: entryPoints.join(','),
      'rpc-url': nodeUrl,
      port: String(port),
      'executor-private-keys': [utility, ...executors].join(','),
      'utility-private-key': utility ?? '',
      'safe-mode': 'false',
      'min-executor-balance': '0',
      'log-level': 'fatal',
      'block-time': '1000',
      'refilling-wallets': 'false',
      'utility-wallet-monitor': 'false',
      'max-gas-per-bundle': '16000000',
    }
    const command = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
    return startBundler({
      name: this.name,
      command: ['node', join(directory, 'node_modules/.bin/alto'), ...command],
      url: `http://127.0.0.1:${port}`,
      directory,
    })
  },
}
