import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadDevConfiguration } from '../config/load.ts'
import { anvilKeys, startAnvil } from '../dev/anvil.ts'
import { runDemo } from '../dev/demo.ts'
import { deployContracts } from '../dev/deploy.ts'
import { snippet } from '../dev/snippet.ts'
import { startService } from '../service/service.ts'
import { configured } from './configured.ts'
import { createLifecycle, failStart } from './lifecycle.ts'
import { readyLine } from './serve.ts'

const chainId = 31337
/** s between blocks, like the chains that this is built for */
const blockTime = 1

/** A development chain, the service on it, one UserOperation to see it work. Gives the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const configuration = configured(() => loadDevConfiguration({ args, env: process.env }))
  if (configuration === undefined) return 2
  const { dev, service, chain } = configuration
  const lifecycle = createLifecycle({ ...service, logLevel: quieter(service.logLevel) })
  const { shutdown } = lifecycle
  try {
    say('starting anvil')
    const anvil = await startAnvil({ port: dev.chainPort, chainId, blockTime: undefined, path: dev.anvil })
    shutdown.onStop('anvil', () => anvil.stop())
    void anvil.process.exited.then(() => {
      if (!shutdown.signal.aborted) lifecycle.onFatal(new Error('anvil ended'))
    })
    say(`chain ${chainId} at ${anvil.url}`)
    shutdown.signal.throwIfAborted()
    const contracts = await deployContracts(anvil.url)
    say('EntryPoints 0.6, 0.7, 0.8 and account factories deployed')
    const directory = mkdtempSync(join(tmpdir(), 'tandem-dev-'))
    shutdown.onStop('database', () => rmSync(directory, { recursive: true, force: true }))
    const started = await startService(
      {
        service: { ...service, database: `file:${join(directory, 'tandem.db')}` },
        chains: [
          {
            ...chain,
            chainId,
            rpcUrl: [anvil.url],
            relayerKeys: [anvilKeys[1], anvilKeys[2]],
            hosts: [],
            tokens: [],
            given: new Set(),
          },
        ],
      },
      lifecycle,
    )
    shutdown.signal.throwIfAborted()
    const bundlerUrl = `${started.url}/v1/${chainId}/`
    await runDemo({ nodeUrl: anvil.url, bundlerUrl, chainId, blockTime, contracts }, say)
    process.stdout.write(`\n${snippet({ nodeUrl: anvil.url, bundlerUrl })}\n`)
    process.stdout.write(`${readyLine(started)}\n`)
  } catch (error) {
    return failStart(error, lifecycle)
  }
  if (dev.once) {
    await shutdown.stop('once')
    return 0
  }
  return lifecycle.stopped
}

function say(line: string): void {
  process.stdout.write(`  ${line}\n`)
}

/** The demonstration is for reading: only what is wrong comes between its lines, unless more is asked for. */
function quieter<Level extends string>(level: Level): Level | 'warn' {
  return level === 'info' ? 'warn' : level
}
