import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAddress } from 'viem/accounts'
import { anvilKeys } from '../../src/dev/anvil.ts'
import { createDeployer } from '../../src/dev/deployer.ts'
import { deployMoney } from '../../src/dev/tokens.ts'
import { operatorPaymasters } from '../../src/service/paymaster/operators.ts'
import { entryPointVersions } from '../../src/types/entrypoint-version.ts'
import { address } from '../support/builders.ts'
import { type DevChain, rpc, startDevChain } from '../support/devChain.ts'
import { scratchDirectory, startTandem } from '../support/service.ts'

const paymasterKey = anvilKeys[3]
const tokens = [{ symbol: 'USDC', address: address(10), decimals: 6, price: '1' }]
const planned = operatorPaymasters({ paymasterKey, versions: entryPointVersions, tokens })
const addressOf = (kind: string, version: string) =>
  planned.find(({ plan }) => plan.kind === kind && plan.version === version)?.deployment.address

let chain: DevChain
let directory: string

beforeAll(async () => {
  chain = await startDevChain()
})
afterAll(() => chain?.stop())
beforeEach(() => {
  directory = scratchDirectory()
  writeFileSync(join(directory, 'paymaster.key'), paymasterKey)
  writeFileSync(join(directory, 'tandem.json'), JSON.stringify({ rpcUrl: [chain.url], tokens }))
})
afterEach(() => rmSync(directory, { recursive: true }))

async function paymaster(...args: string[]) {
  const flags = ['--config', 'tandem.json', '--paymaster-key', '@paymaster.key']
  const tandem = startTandem(['paymaster', ...args, ...flags], directory)
  return { code: await tandem.exited, lines: tandem.output().split('\n').slice(0, -1), errors: tandem.log() }
}
const transactions = () =>
  rpc<string>(chain.url, 'eth_getTransactionCount', [privateKeyToAddress(paymasterKey), 'latest'])

test('deploy puts the paymasters on the chain, once, and status tells what is there', async () => {
  const before = await paymaster('status')
  expect(before.code).toBe(1)
  expect(before.lines).toEqual([
    `missing chain ${chain.chainId}: shared sponsor paymaster of EntryPoint 0.6 at ${addressOf('sponsor', '0.6')}: not deployed`,
    ...['0.8', '0.7', '0.6'].map(
      (version) =>
        `missing chain ${chain.chainId}: token paymaster of EntryPoint ${version} at ${addressOf('token', version)}: not deployed`,
    ),
  ])

  const first = await paymaster('deploy')
  expect(first).toMatchObject({ code: 0, errors: '' })
  const sent = await transactions()
  expect(Number(sent)).toBe(2 + 3 * 3)

  const again = await paymaster('deploy')
  expect(again.code).toBe(0)
  expect(again.lines).toHaveLength(4)
  for (const line of again.lines) expect(line).toEndWith(': all there')
  expect(await transactions()).toBe(sent)

  const signer = privateKeyToAddress(paymasterKey)
  expect(await paymaster('status')).toEqual({
    code: 0,
    lines: [
      `ok      chain ${chain.chainId}: shared sponsor paymaster of EntryPoint 0.6 at ${addressOf('sponsor', '0.6')}: deposit 0 eth, stake 1 eth for 86400 s`,
      ...['0.8', '0.7', '0.6'].map(
        (version) =>
          `ok      chain ${chain.chainId}: token paymaster of EntryPoint ${version} at ${addressOf('token', version)}: signer ${signer}, deposit 0.1 eth, stake 1 eth for 86400 s`,
      ),
    ],
    errors: '',
  })

  const more = await paymaster('status', '--deposit', '0.3 eth', '--paymaster-unstake-delay', '90000')
  expect(more.code).toBe(1)
  expect(more.lines[1]).toEndWith(', to do: stake 1 eth for 90000 s, to do: deposit 0.2 eth')
})

test.each([
  [[], 2, 'paymaster needs one of: deploy, status'],
  [['depoly'], 2, 'depoly is not one of paymaster: did you mean deploy?'],
  [
    ['status', '--stake', 'much'],
    2,
    '--stake: must be an amount such as "1 eth", "1.5 gwei" or "1000" (wei)',
  ],
])('%j is refused in one line', async (args, code, problem) => {
  expect(await paymaster(...args)).toMatchObject({ code, errors: `tandem: ${problem}\n` })
})

test('a key without coins deploys nothing, and says so in one line', async () => {
  writeFileSync(join(directory, 'paymaster.key'), '12'.repeat(32))
  const { code, errors } = await paymaster('deploy')
  expect(code).toBe(1)
  expect(errors).toMatch(/^tandem: .*(insufficient|exceeds).*\n$/i)
})

test('check tells what the paymaster service would have, and lacks', async () => {
  const money = await deployMoney(createDeployer(chain.url))
  const token = money.tokens[0]
  const file = { rpcUrl: [chain.url], nativePrice: '2500', masterKey: 'ab'.repeat(32) }
  const given = [
    { ...token, decimals: 18, price: '1', onChainFeed: false },
    { symbol: 'OLD', address: address(10), decimals: 6, price: { chainlink: address(11), maxAge: 60 } },
  ]
  writeFileSync(join(directory, 'tandem.json'), JSON.stringify({ ...file, tokens: given }))
  writeFileSync(join(directory, 'paymaster.key'), '12'.repeat(32))
  const flags = ['--config', 'tandem.json', '--paymaster-key', '@paymaster.key']
  const tandem = startTandem(['check', ...flags, '--relayer-keys', anvilKeys[1]], directory)
  expect(await tandem.exited).toBe(1)
  const lines = tandem.output().trimEnd().split('\n')
  const found = lines.filter((line) => /native coin|token|paymaster/.test(line))
  const [ok, missing] = [`ok      chain ${chain.chainId}`, `missing chain ${chain.chainId}`]
  expect(found.slice(0, 5)).toEqual([
    `${ok}: native coin: 2500.00000000 US dollars`,
    `${ok}: token USDX: 1.00000000 US dollars`,
    expect.stringMatching(`${missing}: token OLD: price feed`),
    `${missing}: token USDX: has 6 decimals`,
    expect.stringMatching(`${missing}: token OLD: `),
  ])
  expect(found.slice(5)).toEqual(
    [
      'shared sponsor paymaster of EntryPoint 0.6',
      ...['0.8', '0.7', '0.6'].map((v) => `token paymaster of EntryPoint ${v}`),
    ].map((name) => `${missing}: ${name}: not deployed: run tandem paymaster deploy`),
  )
})
