import { formatGwei } from 'viem'
import { type Preset, presets } from './presets.ts'
import { type ChainSettings, chainSchema } from './schemas/chain.ts'
import { settingsOf } from './settings.ts'

/** Settings of a chain, with those among them that somebody gave; the others are defaults, and a preset goes before. */
export type GivenChainSettings = ChainSettings & { given: ReadonlySet<string> }

/** What the operator gave, else what is known of the chain, else the default. */
export function withPreset<Settings extends { given: ReadonlySet<string> }>(
  { given, ...settings }: Settings,
  chainId: number,
): Omit<Settings, 'given'> {
  const { name: _name, ...known } = presets.get(chainId) ?? { name: '' }
  const unsaid = Object.entries(known).filter(([name]) => !given.has(name))
  return { ...settings, ...Object.fromEntries(unsaid) }
}

/** One line about the chain's preset: what it sets, and what the operator has set otherwise. */
export function describePreset(chainId: number, given: ReadonlySet<string>): string {
  const preset = presets.get(chainId)
  if (preset === undefined) return 'no preset'
  const { name, ...known } = preset
  return `preset of ${name}: ${Object.entries(known).map(describeSetting(given)).join(', ')}`
}

const describeSetting =
  (given: ReadonlySet<string>) =>
  ([name, value]: [string, Preset[keyof Preset]]): string =>
    given.has(name) ? `${name} as given` : `${name} ${withUnit(name, value)}`

/** A preset's value as people read it. */
export function withUnit(name: string, value: Preset[keyof Preset]): string {
  if (Array.isArray(value)) return value.length === 1 ? 'one address' : `${value.length} addresses`
  const unit = units.get(name)?.unit
  if (unit === 'wei' && typeof value === 'bigint') return `${formatGwei(value)} gwei`
  return unit === undefined ? String(value) : `${value} ${unit}`
}

const units = settingsOf(chainSchema)
