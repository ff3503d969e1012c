import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesToHex, parseEther } from 'viem'
import { createNodeClient } from '../chain/client.ts'
import { loadDevConfiguration } from '../config/load.ts'
import { anvilKeys, startAnvil } from '../dev/anvil.ts'
import { runDemo } from '../dev/demo.ts'
import { deployContracts } from '../dev/deploy.ts'
import { createDeployer } from '../dev/deployer.ts'
import { snippet } from '../dev/snippet.ts'
import type { DevPaymaster } from '../dev/sponsor.ts'
import { type DevMoney, deployMoney } from '../dev/tokens.ts'
import { deployPaymasters } from '../service/paymaster/deploy.ts'
import { operatorClient } from '../service/paymaster/operator-client.ts'
import { operatorPaymasters } from '../service/paymaster/operators.ts'
import { type Service, startService } from '../service/service.ts'
import { entryPointVersions } from '../types/entrypoint-version.ts'
import { scopes } from '../types/paymaster/tenant.ts'
import { configured } from './configured.ts'
import { createLifecycle, failStart, type Lifecycle } from './lifecycle.ts'
import { readyLine } from './serve.ts'

const chainId = 31337
/** s between blocks, like the chains that this is built for */
const blockTime = 1
const paymasterKey = anvilKeys[4]

/** A development chain, the service on it, three UserOperations to see it work. Gives the exit code. */
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
    const deploy = createDeployer(anvil.url)
    const contracts = await deployContracts(deploy)
    say('EntryPoints 0.6, 0.7, 0.8 and account factories deployed')
    const money = await deployMoney(deploy)
    for (const { symbol, address, decimals } of money.tokens)
      say(`token ${symbol} (${decimals} decimals, anybody may mint it) at ${address}`)
    await deployOwnPaymasters(anvil.url, { money, unstakeDelay: chain.paymasterUnstakeDelay }, lifecycle)
    say('paymasters deployed: a shared one of EntryPoint 0.6, and one for tokens of each version')
    shutdown.signal.throwIfAborted()
    const directory = mkdtempSync(join(tmpdir(), 'tandem-dev-'))
    shutdown.onStop('database', () => rmSync(directory, { recursive: true, force: true }))
    say('a development master key, made up for this run: the wallets that it encrypts end with it')
    const started = await startService(
      {
        service: {
          ...service,
          database: `file:${join(directory, 'tandem.db')}`,
          masterKey: bytesToHex(randomBytes(32)),
        },
        chains: [
          {
            ...chain,
            ...money,
            chainId,
            rpcUrl: [anvil.url],
            relayerKeys: [anvilKeys[1], anvilKeys[2]],
            paymasterKey,
            hosts: [],
            given: new Set(),
          },
        ],
      },
      lifecycle,
    )
    shutdown.signal.throwIfAborted()
    const paymaster = await demonstrationKey(started)
    const bundlerUrl = `${started.url}/v1/${chainId}/`
    const [token] = money.tokens
    await runDemo({ nodeUrl: anvil.url, bundlerUrl, chainId, blockTime, contracts, paymaster, token }, say)
    say(`paymaster ${paymaster.url}, with the API key ${paymaster.apiKey}`)
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

async function deployOwnPaymasters(
  url: string,
  { money, unstakeDelay }: { money: DevMoney; unstakeDelay: number },
  { log, metrics }: Lifecycle,
): Promise<void> {
  const paymasters = operatorPaymasters({ paymasterKey, versions: entryPointVersions, tokens: money.tokens })
  const wanted = { ...money, unstakeDelay, stake: parseEther('1'), deposit: parseEther('10') }
  const node = createNodeClient({ chainId, urls: [url], timeoutMs: 10_000 }, { log, metrics })
  await deployPaymasters({ paymasters, wanted }, operatorClient(paymasterKey, node), () => {})
  await node.close()
}

/** A key that may do everything. */
async function demonstrationKey({ tenants, paymasterUrl }: Service): Promise<DevPaymaster> {
  if (tenants === undefined || paymasterUrl === undefined) throw new Error('the paymaster is off')
  const terms = { scopes, creditsPerMonth: undefined, creditsPerSecond: undefined }
  const { text, tenant } = await tenants.create('demonstration', terms)
  return { url: paymasterUrl, apiKey: text, wallet: tenant.walletAddress }
}

function say(line: string): void {
  process.stdout.write(`  ${line}\n`)
}

/** The demonstration is for reading: only what is wrong comes between its lines, unless more is asked for. */
function quieter<Level extends string>(level: Level): Level | 'warn' {
  return level === 'info' ? 'warn' : level
}
