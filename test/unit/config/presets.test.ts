import { describe, expect, test } from 'bun:test'
import { sizeProblems } from '../../../src/config/incoherences.ts'
import { loadConfiguration } from '../../../src/config/load.ts'
import { presets } from '../../../src/config/presets.ts'
import { describePreset, withPreset } from '../../../src/config/with-preset.ts'

const key = `0x${'11'.repeat(32)}`
const gwei = 10n ** 9n
const polygon = 137
const arbitrum = 42161

/** The settings of the one chain that these flags and variables describe. */
function configured(flags: readonly string[] = [], env: Record<string, string> = {}) {
  const args = ['--rpc-url', 'http://127.0.0.1:1', '--relayer-keys', key, ...flags]
  const [chain] = loadConfiguration({ args, env }).chains
  if (chain === undefined) throw new Error('no chain')
  return chain
}

const defaults = withPreset(configured(), 31337)

test.each([...presets])(
  '%d: what is known stands in place of the defaults, and nothing else',
  (id, preset) => {
    const { name: _name, ...known } = preset
    expect(withPreset(configured(), id)).toEqual({ ...defaults, ...known })
    expect(
      Object.entries(known).filter(([name, value]) =>
        Object.entries(defaults).some(([each, same]) => each === name && same === value),
      ),
    ).toEqual([])
  },
)

test('no two presets have one name', () => {
  const names = [...presets.values()].map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

test.each([...presets.keys()])('%d: the largest operation fits into a bundle', (id) => {
  expect(sizeProblems(withPreset(configured(), id))).toEqual([])
})

test('an unknown chain has the defaults', () => {
  expect(withPreset(configured(), 987_654_321)).toEqual(defaults)
  expect(describePreset(987_654_321, new Set())).toBe('no preset')
})

describe('what somebody gave wins', () => {
  test('as a flag', () => {
    expect(withPreset(configured(['--min-priority-fee', '1 gwei']), polygon).minPriorityFee).toBe(gwei)
  })

  test('in the environment', () => {
    const env = { TANDEM_TRANSACTION_GAS_CAP: '20000000' }
    expect(withPreset(configured([], env), polygon).transactionGasCap).toBe(20_000_000n)
  })

  test('even if it is the default', () => {
    const chain = configured(['--transaction-bytes-cap', '131072'])
    expect(withPreset(chain, arbitrum).transactionBytesCap).toBe(131_072)
  })

  test('and the rest of the preset stays', () => {
    const { minPriorityFee: _given, ...rest } = withPreset(
      configured(['--min-priority-fee', '1 gwei']),
      polygon,
    )
    const { minPriorityFee: _preset, ...known } = withPreset(configured(), polygon)
    expect(rest).toEqual(known)
  })
})

test('one line tells what a preset sets, and what is set otherwise', () => {
  expect(describePreset(polygon, new Set(['blockTime', 'rpcUrl']))).toBe(
    'preset of Polygon PoS: dataFee none, blockTime as given, replaceAfterBlocks 5 blocks, minPriorityFee 25 gwei, transactionGasCap 32000000 gas, p256Verify true',
  )
})

test('of a list of addresses it tells how many there are', () => {
  expect(describePreset(56, new Set())).toEndWith('p256Verify true, ownPrecompiles 6 addresses')
})
