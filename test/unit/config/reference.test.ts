import { expect, test } from 'bun:test'
import { loadConfiguration } from '../../../src/config/load.ts'
import { referenceText } from '../../../src/config/reference.ts'
import { chainSchema } from '../../../src/config/schemas/chain.ts'
import { devSchema, sourceSchema } from '../../../src/config/schemas/commands.ts'
import { serviceSchema } from '../../../src/config/schemas/service.ts'
import { environmentOf, flagOf, settingsOf } from '../../../src/config/settings.ts'

const all = settingsOf(sourceSchema, serviceSchema, chainSchema, devSchema)

test('docs/configuration.md is what the schema says', async () => {
  const committed = await Bun.file(new URL('../../../docs/configuration.md', import.meta.url)).text()
  expect(committed, 'run: bun src/main.ts help --markdown > docs/configuration.md').toBe(referenceText())
})

test('no two settings share a flag or a variable', () => {
  const names = [...all.keys()]
  expect(new Set(names.map(flagOf)).size).toBe(names.length)
  expect(new Set(names.map(environmentOf)).size).toBe(names.length)
})

test.each([
  ['rpcUrl', '--rpc-url', 'TANDEM_RPC_URL'],
  ['useropsTTL', '--userops-ttl', 'TANDEM_USEROPS_TTL'],
  ['eip2930', '--eip2930', 'TANDEM_EIP2930'],
])('names of %s', (name, flag, variable) => {
  expect([flagOf(name), environmentOf(name)]).toEqual([flag, variable])
})

/** The fields of bundler_config (interface.md) that an operator decides. */
const configFields = [
  'beneficiary',
  'minInclusionDenominator',
  'throttlingSlack',
  'banSlack',
  'minStake',
  'minUnstakeDelay',
  'minSignerBalance',
  'multicall',
  'estimationStaticBuffer',
  'validationGasLimit',
  'receiptLookupRange',
  'explorerApiKey',
  'conditionalTransactions',
  'rpcEndpointSubmit',
  'gasPriceMarkup',
  'enforceGasPrice',
  'enforceGasPriceThreshold',
  'eip2930',
  'useropsTTL',
  'whitelistedEntities',
  'bundleGasLimitMarkup',
  'relayingMode',
  'bundleInterval',
  'bundleSize',
  'pvgMarkup',
  'skipBundleValidation',
  'redirectRpc',
]

test.each(configFields)('bundler_config shows %s, so it can be set', (name) => {
  expect(settingsOf(chainSchema).has(name)).toBe(true)
})

test('the example of the page is a configuration', async () => {
  const example = /```json\n([\s\S]*?)```/.exec(referenceText())?.[1] ?? ''
  const content = JSON.parse(example) as { relayerKeys: string[] }
  const path = `${import.meta.dir}/../../../node_modules/.example-${process.pid}.json`
  await Bun.write(path, JSON.stringify({ ...content, relayerKeys: ['1'.repeat(64)] }))
  const { chains } = loadConfiguration({ args: ['--config', path], env: {} })
  await Bun.file(path).delete()
  expect(chains.map((chain) => chain.bundleSize)).toEqual([200, 200])
})
