import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Address } from 'viem'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { createDeployer } from '../../src/dev/deployer.ts'
import { type DevMoney, deployMoney } from '../../src/dev/tokens.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import type { EntryPointVersion } from '../../src/types/entrypoint-version.ts'
import { formatUserOperation, parseUserOperation } from '../../src/types/rpc-userop.ts'
import type { UserOperation } from '../../src/types/userop.ts'
import { fund } from './accounts.ts'
import { call } from './client.ts'
import type { DevChain } from './devChain.ts'
import { type RunningService, scratchDirectory, startService, startTandem } from './service.ts'

export const masterKey = '5a'.repeat(32)
export const paymasterKey = anvilKeys[4]

/** An API key and its owner's wallet, which has coins. */
export type TestKey = { id: string; text: string; wallet: Address }

/** A database, a configuration and deployed paymasters, on which `tandem serve` with a paymaster can be started. */
export type PaymasterHome = {
  directory: string
  money: DevMoney
  /** The service on it; kill it before the next. */
  serve(...flags: string[]): Promise<RunningService>
  /** Made by the command line. */
  createKey(name: string, ...flags: string[]): Promise<TestKey>
  revokeKey(key: TestKey): Promise<void>
  remove(): void
}

/** Everything by the command line, as an operator would. */
export async function paymasterHome(chain: DevChain): Promise<PaymasterHome> {
  const directory = scratchDirectory()
  const money = await deployMoney(createDeployer(chain.url))
  const feedOf = ({ price }: { price: DevMoney['nativePrice'] }) =>
    price.kind === 'chainlink' ? { chainlink: price.feed, maxAge: price.maxAge } : ''
  const settings = {
    rpcUrl: [chain.url],
    paymasterKey: '@paymaster.key',
    nativePrice: feedOf({ price: money.nativePrice }),
    tokens: money.tokens.map((token) => ({ ...token, price: feedOf(token) })),
  }
  writeFileSync(join(directory, 'master.key'), masterKey)
  writeFileSync(join(directory, 'paymaster.key'), paymasterKey)
  writeFileSync(join(directory, 'tandem.json'), JSON.stringify(settings))
  const config = ['--config', 'tandem.json']
  const master = ['--master-key', '@master.key']
  await tandem('paymaster', 'deploy', ...config, '--deposit', '10 eth')

  return {
    directory,
    money,
    serve: (...flags) =>
      startService({
        ...{ nodeUrl: chain.url, relayerKeys: [anvilKeys[2]], directory },
        flags: [...config, ...master, ...flags],
      }),
    async createKey(name, ...flags) {
      const output = await tandem('keys', 'create', '--name', name, ...master, ...flags)
      const text = /^tandem_[\w-]+$/m.exec(output)?.[0] ?? ''
      const wallet = (/wallet (0x[0-9a-fA-F]{40})/.exec(output)?.[1] ?? '0x') as Address
      await fund(chain, wallet, 10n ** 20n)
      return { id: output.split(' ')[0] ?? '', text, wallet }
    },
    async revokeKey({ id }) {
      await tandem('keys', 'revoke', id, ...master)
    },
    remove: () => rmSync(directory, { recursive: true }),
  }

  async function tandem(...args: string[]): Promise<string> {
    const command = startTandem(args, directory)
    if ((await command.exited) !== 0) throw new Error(`tandem ${args.join(' ')}: ${command.log()}`)
    return command.output()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, compared as a whole
type Body = any

/** A REST call; the answer with its status. */
export async function rest(
  service: RunningService,
  key: TestKey,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
): Promise<{ status: number; body: Body }> {
  const answer = await fetch(service.paymasterUrl + path, {
    method,
    headers: { apikey: key.text },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: await answer.json() }
}

/** Where a version is named in a path, and by the call that deploys. */
const suffixes = { '0.6': '', '0.7': '/v2', '0.8': '/v3' } as const
const deployable = { '0.6': 'EPV_06', '0.7': 'EPV_07', '0.8': 'EPV_08' } as const

/** A staked paymaster of the key's own with a deposit in coins, that pays for `senders`. @returns its address */
export async function ownPaymaster(
  service: RunningService,
  key: TestKey,
  version: EntryPointVersion,
  senders: readonly Address[],
  deposit = '1',
): Promise<Address> {
  const own = version === '0.6' ? '?useVp=true&wait=true' : '?wait=true'
  const { verifyingPaymaster } = await post('/deployVerifyingPaymaster?wait=true', [deployable[version]])
  // Its validation reads storage of its own, which ERC-7562 (STO-032) grants to staked paymasters.
  await post('/addStake?wait=true', [deployable[version], '1'])
  await post(`/deposit${suffixes[version]}${own}`, [deposit])
  await post(`/whitelist${suffixes[version]}${own}`, [senders])
  return verifyingPaymaster

  async function post(path: string, params: unknown[]): Promise<Body> {
    const { status, body } = await rest(service, key, 'POST', path, { params })
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`)
    return body
  }
}

/** Where `key` asks for JSON-RPC. */
export const addressOf = (service: RunningService, key: TestKey, chain: DevChain, useVp = false): string =>
  `${service.paymasterUrl}?apiKey=${key.text}&chainId=${chain.chainId}&useVp=${useVp}`

/** The operation as pm_sponsorUserOperation makes it, with its account's signature still missing. @throws RpcError */
export async function sponsor(
  url: string,
  op: UserOperation,
  context: object = { mode: 'sponsor' },
): Promise<UserOperation> {
  const entryPoint = entryPoints[op.version].address
  const wire = formatUserOperation({ ...op, signature: '0x' })
  const fields = await call<object>(url, 'pm_sponsorUserOperation', wire, entryPoint, context)
  return parseUserOperation({ ...wire, ...fields }, op.version, 'complete')
}
