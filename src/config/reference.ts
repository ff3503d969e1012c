import type { Json } from '../base/errors.ts'
import type { Setting } from './kinds.ts'
import { type Preset, presets } from './presets.ts'
import { bundlerSchema } from './schemas/bundler.ts'
import { backupSchema, devSchema, fundsSchema, newKeySchema, sourceSchema } from './schemas/commands.ts'
import { paymasterSchema } from './schemas/paymaster.ts'
import { serviceSchema } from './schemas/service.ts'
import { environmentOf, flagOf, isRequired, type Settings, settingsOf } from './settings.ts'
import { withUnit } from './with-preset.ts'

/** The default of a setting as people read it. */
export function defaultOf(setting: Setting): string {
  if (setting.defaultText !== undefined) return setting.defaultText
  if (isRequired(setting)) return 'required'
  return setting.default === undefined ? 'none' : readable(setting.default)
}

function readable(value: Json): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(',')
  return typeof value === 'object' ? 'none' : String(value)
}

/** The whole text of docs/configuration.md. */
export function referenceText(): string {
  return `${[
    introduction,
    '## Service',
    table(settingsOf(sourceSchema, serviceSchema)),
    '## Chain',
    'At the top level of the file, in the environment and as flags these are for all chains; in an entry of `chains` for that one.',
    table(settingsOf(bundlerSchema)),
    '## Paymaster',
    paymasterIntroduction,
    table(settingsOf(paymasterSchema)),
    '## Presets',
    presetsIntroduction,
    presetTable(),
    '## Development chain',
    'What only `tandem dev` takes. It has no file, and brings its own database, node, relayers and EntryPoints.',
    table(settingsOf(devSchema)),
    '## Backup',
    'What only `tandem backup` takes, besides `config`, `database` and `databaseAuthToken`.',
    table(settingsOf(backupSchema)),
    '## Paymasters of the operator',
    'What only `tandem paymaster deploy` and `tandem paymaster status` take, besides `config`, `rpcUrl`, `chainId`, `nodeTimeout`, `entryPoints`, `paymasterKey`, `nativePrice`, `tokens` and `paymasterUnstakeDelay`.',
    table(settingsOf(fundsSchema)),
    '## API keys',
    'What only `tandem keys create` takes. All of `tandem keys` take `config`, `database`, `databaseAuthToken` and `masterKey`.',
    table(settingsOf(newKeySchema)),
  ].join('\n\n')}\n`
}

const paymasterIntroduction =
  'With `masterKey` the paymaster service is on. These settings are for all chains or for one, as those above; without `masterKey` none of them may be given.'

const presetsIntroduction =
  'What is known of a chain goes before the defaults above, and gives way to whatever is configured. `tandem check` tells which preset a chain has.'

function presetTable(): string {
  const columns = [...new Set([...presets.values()].flatMap((preset) => Object.keys(preset)))]
  const rows = [...presets].map(([chainId, preset]) => {
    const values: Readonly<Record<string, Preset[keyof Preset]>> = preset
    const cells = columns.map((name) => (values[name] === undefined ? '' : withUnit(name, values[name])))
    return `| ${[chainId, ...cells].join(' | ')} |`
  })
  const heads = columns.map((name) => (name === 'name' ? 'chain' : `\`${name}\``))
  return [`| id | ${heads.join(' | ')} |`, `|---${'|---'.repeat(columns.length)}|`, ...rows].join('\n')
}

const introduction = `# Configuration

This page is generated: \`bun src/main.ts help --markdown > docs/configuration.md\`.

Two settings are enough: \`rpcUrl\` and \`relayerKeys\`. Each setting can be given in the file (\`--config tandem.json\`), in the environment and as a flag; where it is given more than once, the flag wins over the environment, the environment over the file, the file over the preset of the chain, and that over the default. Names that do not exist are errors.

- Lists take commas on the command line and in the environment; a flag of a list may be repeated.
- A boolean is \`--testing\` or \`--no-testing\`; in the environment \`true\` or \`false\`. An empty variable counts as absent.
- Amounts are wei, or text with a unit: \`"1000"\`, \`"1.5 gwei"\`, \`"0.1 eth"\`. \`bp\` are basis points: 100 are one per cent.
- Secrets, marked *secret*, may be given as \`@path\` (relative to the working directory) or \`env:NAME\`. On the command line anything else is visible in process lists, and draws a warning.
- In Kubernetes a Service called \`tandem\` puts \`TANDEM_PORT\` and others into its pods: set \`enableServiceLinks: false\`.

Several chains in one process:

\`\`\`json
{
  "database": "file:/var/lib/tandem/tandem.db",
  "relayerKeys": ["@/run/secrets/relayers"],
  "bundleSize": 200,
  "chains": [
    { "rpcUrl": ["https://mainnet.example", "https://fallback.example"], "hosts": ["mainnet.bundler.example"] },
    { "rpcUrl": ["https://base.example"], "minPriorityFee": "0.001 gwei", "bundleInterval": 2000 }
  ]
}
\`\`\``

function table(settings: Settings): string {
  const rows = [...settings].map(([name, setting]) => row(name, setting))
  return [
    '| setting | flag | environment | default | value | meaning |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

function row(name: string, setting: Setting): string {
  const secret = setting.secret === undefined ? '' : '*secret*: '
  const cells = [
    `\`${name}\``,
    `\`${flagForm(name, setting)}\``,
    `\`${environmentOf(name)}\``,
    defaultOf(setting),
    expectedOf(setting),
    `${secret}${setting.description}`,
  ]
  return `| ${cells.join(' | ')} |`
}

/** The flag in the form that changes something. */
export function flagForm(name: string, setting: Setting): string {
  if (setting.type !== 'boolean') return `${flagOf(name)} …`
  return setting.default === true ? flagOf(name).replace('--', '--no-') : flagOf(name)
}

/** What a value must be, with its unit. */
export function expectedOf({ expected, unit }: Setting): string {
  return unit === undefined || expected.includes(`(${unit})`) ? expected : `${expected}, in ${unit}`
}
