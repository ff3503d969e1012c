import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type Abi,
  type Address,
  createPublicClient,
  getAddress,
  type Hash,
  http,
  parseAbi,
  parseEventLogs,
  parseUnits,
  zeroAddress,
} from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { paymasterDeployment } from '../../src/contracts/paymaster/deployment.ts'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { snippet } from '../../src/dev/snippet.ts'
import { operatorPaymasters } from '../../src/service/paymaster/operators.ts'
import { entryPoints } from '../../src/types/entrypoint.ts'
import { type EntryPointVersion, entryPointVersions } from '../../src/types/entrypoint-version.ts'
import { call } from '../support/client.ts'
import { rpc } from '../support/devChain.ts'
import { scratchDirectory, source, startTandem, type TandemProcess } from '../support/service.ts'

const root = join(import.meta.dir, '../..')
const directory = scratchDirectory()

let tandem: TandemProcess
/** What `run dev` printed. */
let nodeUrl: string
let tandemUrl: string
let apiKey: string
let token: Address
/** The shell of the README's section, block by block: settings, sponsored, in tokens, by hand. */
let blocks: string[]

beforeAll(async () => {
  const readme = await Bun.file(join(root, 'README.md')).text()
  const [section = ''] = readme.split('### The three flows')[1]?.split('\n## ') ?? []
  blocks = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block)
  tandem = startTandem(['dev', '--port', '0', '--admin-port', '0', '--chain-port', '0'], directory, source)
  await tandem.line('tandem ready: ')
  nodeUrl = printed(/chain 31337 at (\S+)/)
  tandemUrl = printed(/paymaster (http\S+)\/paymaster, with/)
  apiKey = printed(/with the API key (\S+)/)
  token = printed(/token USDX .* at (0x\w{40})/) as Address
}, 60_000)
afterAll(async () => {
  await tandem?.kill('SIGTERM')
  rmSync(directory, { recursive: true, force: true })
})

const printed = (pattern: RegExp): string => {
  const found = pattern.exec(tandem.output())?.[1]
  if (found === undefined) throw new Error(`dev did not print ${pattern}`)
  return found
}

test("the README's first call is what dev prints, for its default ports", async () => {
  const readme = await Bun.file(join(root, 'README.md')).text()
  const shown = snippet({ nodeUrl: 'http://127.0.0.1:8545', bundlerUrl: 'http://127.0.0.1:4337/v1/31337/' })
  expect(readme).toContain(shown)
})

test('what dev prints runs as it stands', async () => {
  const script = tandem
    .output()
    .slice(tandem.output().indexOf('import '), tandem.output().indexOf('tandem ready'))
  const path = join(root, 'test', 'e2e', `pasted-${process.pid}.ts`)
  await Bun.write(path, script)
  try {
    const child = Bun.spawn([process.execPath, path], { cwd: root, stdout: 'pipe', stderr: 'pipe' })
    const output = await new Response(child.stdout).text()
    expect(await child.exited, await new Response(child.stderr).text()).toBe(0)
    expect(output).toMatch(/^true 0x[0-9a-f]{64}$/m)
  } finally {
    rmSync(path)
  }
})

/** Pastes the README's shell for a version, with what `run dev` printed filled in; gives the output of each flow. */
async function pasted(version: EntryPointVersion): Promise<readonly string[]> {
  const between = '----'
  const script = blocks
    .join(`echo ${between}\n`)
    .replace('tandem_…', apiKey)
    .replace('TOKEN=0x…', `TOKEN=${token}`)
    .replace('http://127.0.0.1:4337', tandemUrl)
    .replace('http://127.0.0.1:8545', nodeUrl)
    .replace('VERSION=0.7', `VERSION=${version}`)
  const shell = Bun.spawn(['bash', '-e', '-c', script], {
    ...{ cwd: root, stdout: 'pipe', stderr: 'pipe' },
    env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
  })
  const [output, errors, code] = await Promise.all([
    new Response(shell.stdout).text(),
    new Response(shell.stderr).text(),
    shell.exited,
  ])
  expect([code, errors], output).toEqual([0, ''])
  return output.split(`${between}\n`).slice(1)
}

const client = () => createPublicClient({ transport: http(nodeUrl) })

type Paid = { userOpHash: Hash; sender: Address; paymaster: Address; success: boolean; actualGasCost: bigint }

/** The only operation in a transaction, by the EntryPoint's own event, and the block. */
async function operationIn(
  hash: Hash,
  version: EntryPointVersion,
): Promise<{ paid: Paid; block: bigint; before: bigint }> {
  const { logs, blockNumber: block } = await client().getTransactionReceipt({ hash })
  const { address, abi } = entryPoints[version]
  const events = parseEventLogs({ abi: abi as Abi, logs, eventName: 'UserOperationEvent' })
  expect(events.map((event) => getAddress(event.address))).toEqual([address])
  return { paid: events[0]?.args as unknown as Paid, block, before: block - 1n }
}

const included = (output: string): Hash => {
  const hash = /^true (0x[0-9a-f]{64})$/m.exec(output)?.[1]
  if (hash === undefined) throw new Error(output)
  return hash as Hash
}

const balanceAbi = parseAbi(['function balanceOf(address account) view returns (uint256)'])
/** Of a token, or of the deposits at an EntryPoint or at the shared paymaster. */
const balanceAt = (blockNumber: bigint, address: Address, of: Address): Promise<bigint> =>
  client().readContract({
    ...{ address, abi: balanceAbi, functionName: 'balanceOf', args: [of], blockNumber },
  })
const coinsAt = (blockNumber: bigint, address: Address): Promise<bigint> =>
  client().getBalance({ address, blockNumber })

function planned(kind: 'sponsor' | 'token', of: EntryPointVersion): Address {
  const all = operatorPaymasters({
    paymasterKey: anvilKeys[4],
    versions: entryPointVersions,
    tokens: [token],
  })
  return all.find(({ plan }) => plan.kind === kind && plan.version === of)?.deployment.address ?? '0x'
}

describe.each(entryPointVersions)("the README's wallet of EntryPoint %s", (version) => {
  const entryPoint = entryPoints[version].address
  let flows: readonly string[]

  beforeAll(async () => {
    await rpc(nodeUrl, 'evm_setIntervalMining', [0])
    await rpc(nodeUrl, 'evm_setAutomine', [true])
    flows = await pasted(version)
    expect(flows).toHaveLength(3)
  }, 60_000)

  test("is sponsored out of the sponsor's deposit", async () => {
    const [output = ''] = flows
    const { sponsorAddress: owner } = JSON.parse(output.split('\n')[0] ?? '') as { sponsorAddress: Address }
    const own = paymasterDeployment({ kind: 'verifying', version, owner, signer: owner }).address
    const shared = planned('sponsor', '0.6')
    const [paymaster, place, who] = version === '0.6' ? [shared, shared, owner] : [own, entryPoint, own]
    expect(output).toMatch(/"Successfully deposited with transaction Hash 0x/)
    expect(output).toMatch(/"Successfully whitelisted/)
    const { paid, block, before } = await operationIn(included(output), version)
    expect(paid).toMatchObject({ paymaster, success: true })
    expect(await coinsAt(before, paid.sender)).toBe(0n)
    const spent = (await balanceAt(before, place, who)) - (await balanceAt(block, place, who))
    // What postOp itself costs is more than the event tells.
    if (version === '0.6') expect(spent).toBeGreaterThanOrEqual(paid.actualGasCost)
    else expect(spent).toBe(paid.actualGasCost)
  })

  test('pays in a token, and the paymaster in coins', async () => {
    const [, output = ''] = flows
    const paymaster = planned('token', version)
    const { paid, block, before } = await operationIn(included(output), version)
    expect(paid).toMatchObject({ paymaster, success: true })
    expect(await coinsAt(before, paid.sender)).toBe(0n)
    const deposits = [before, block].map((at) => balanceAt(at, entryPoint, paymaster))
    const [had = 0n, has = 0n] = await Promise.all(deposits)
    expect(had - has).toBe(paid.actualGasCost)
    const minted = parseUnits('100', 6)
    const charged = minted - (await balanceAt(block, token, paid.sender))
    // 2,500 dollars a coin
    expect(charged).toBeGreaterThanOrEqual((paid.actualGasCost * 2_500n) / 10n ** 12n)
    expect(charged).toBeLessThan(parseUnits('10', 6))
    const collector = privateKeyToAddress(anvilKeys[4])
    const received = [before, block].flatMap((at) =>
      [collector, paymaster].map((of) => balanceAt(at, token, of)),
    )
    const [a = 0n, b = 0n, c = 0n, d = 0n] = await Promise.all(received)
    expect(c + d - (a + b)).toBe(charged)
  })

  test('pays for itself when it is posted by hand', async () => {
    const [, , output = ''] = flows
    const { result: hash } = JSON.parse(output.trim().split('\n').at(-1) ?? '') as { result: Hash }
    const { receipt } = await mined(hash)
    const { paid, block, before } = await operationIn(receipt.transactionHash, version)
    expect(paid).toMatchObject({ userOpHash: hash, paymaster: zeroAddress, success: true })
    const dead = '0x000000000000000000000000000000000000dEaD'
    expect((await coinsAt(block, dead)) - (await coinsAt(before, dead))).toBe(1n)
    const spent = (await coinsAt(before, paid.sender)) - (await coinsAt(block, paid.sender))
    expect(spent).toBeGreaterThanOrEqual(paid.actualGasCost + 1n)
  })
})

async function mined(hash: Hash): Promise<{ receipt: { transactionHash: Hash } }> {
  for (;;) {
    const url = `${tandemUrl}/v1/31337/`
    const told = await call<Awaited<ReturnType<typeof mined>> | null>(
      url,
      'eth_getUserOperationReceipt',
      hash,
    )
    if (told !== null) return told
  }
}
