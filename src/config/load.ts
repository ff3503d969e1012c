import { type StaticDecode, type TObject, Type } from '@sinclair/typebox'
import { ConfigError } from './config-error.ts'
import { decode } from './decode.ts'
import { type Environment, readEnvironment } from './environment.ts'
import { type FileLayers, readConfigFile } from './file.ts'
import { readFlags } from './flags.ts'
import type { Given, Layer } from './given.ts'
import { incoherences, paymasterProblems, serviceIncoherences, tokenProblems } from './incoherences.ts'
import { chainSchema } from './schemas/chain.ts'
import {
  backupSchema,
  type DevSettings,
  databaseSchema,
  devChainSchema,
  devSchema,
  devServiceSchema,
  fundsSchema,
  keysSchema,
  newKeySchema,
  operatorSchema,
  type SimulationSettings,
  simulationSchema,
  sourceSchema,
} from './schemas/commands.ts'
import { type ServiceSettings, serviceSchema } from './schemas/service.ts'
import { isExposed } from './secrets.ts'
import { type Settings, settingsOf } from './settings.ts'
import type { GivenChainSettings } from './with-preset.ts'

/** The arguments after the command, and the environment. */
export type Inputs = { args: readonly string[]; env: Environment }

/** Everything resolved. `warnings` are for standard error, one line each. */
export type Configuration = {
  service: ServiceSettings
  chains: readonly GivenChainSettings[]
  warnings: readonly string[]
}

/** Of `tandem dev`, which brings the rest itself. */
export type DevConfiguration = {
  dev: DevSettings
  service: StaticDecode<typeof devServiceSchema>
  chain: StaticDecode<typeof devChainSchema>
  warnings: readonly string[]
}

/** Of `tandem backup`. */
export type BackupConfiguration = StaticDecode<typeof backupSchema> &
  StaticDecode<typeof databaseSchema> & { warnings: readonly string[] }

/** Of `tandem keys`. */
export type KeysConfiguration = StaticDecode<typeof keysSchema> & { warnings: readonly string[] }
export type NewKeyConfiguration = KeysConfiguration & StaticDecode<typeof newKeySchema>

/** Of `tandem paymaster`. */
export type PaymasterConfiguration = StaticDecode<typeof fundsSchema> & {
  chains: readonly StaticDecode<typeof operatorSchema>[]
  warnings: readonly string[]
}

/** Of `tandem explain`. */
export type ExplainConfiguration = {
  chains: readonly (SimulationSettings & { given: ReadonlySet<string> })[]
  warnings: readonly string[]
}

/** What `serve` and `check` take. */
export const serveSettings = settingsOf(sourceSchema, serviceSchema, chainSchema)
/** What `dev` takes. */
export const devSettings = settingsOf(devSchema, devServiceSchema, devChainSchema)

/** What `backup` takes. */
export const backupSettings = settingsOf(sourceSchema, backupSchema, databaseSchema)

/** What all of `keys` take, and what `keys create` takes. */
export const keysSettings = settingsOf(sourceSchema, keysSchema)
export const newKeySettings = settingsOf(newKeySchema, sourceSchema, keysSchema)

/** What `paymaster` takes. */
export const paymasterSettings = settingsOf(fundsSchema, sourceSchema, operatorSchema)

/** What `explain` takes. */
export const explainSettings = settingsOf(sourceSchema, simulationSchema)

const knownSettings = new Map(
  [serveSettings, devSettings, backupSettings, newKeySettings, paymasterSettings].flatMap((all) => [...all]),
)
const noFile: FileLayers = { top: new Map(), chains: undefined, problems: [] }

/**
 * Defaults < file < environment < flags; presets come between, once the chain is known (`withPreset`).
 * @throws ConfigError with every problem that was found
 */
export function loadConfiguration({ args, env }: Inputs): Configuration {
  const { layers, problems, warnings } = readCommand({ args, env }, serveSettings)
  const source = collect(problems, () => decode(sourceSchema, layers, { env }))
  const file = source?.config === undefined ? noFile : readConfigFile(source.config)
  problems.push(...file.problems)
  const service = collect(problems, () => decode(serviceSchema, [file.top, ...layers], { env }))
  const complete = decodeChains(chainSchema, { file, layers, problems, env, path: source?.config })
  problems.push(...incoherences(complete))
  if (service !== undefined) {
    problems.push(...serviceIncoherences(service))
    problems.push(...paymasterProblems(service, complete))
  }
  if (service === undefined || problems.length > 0) throw new ConfigError([...new Set(problems)])
  return { service, chains: complete, warnings }
}

/** Defaults < file < environment < flags, of those that matter. @throws ConfigError with every problem that was found */
export function loadBackupConfiguration(inputs: Inputs): BackupConfiguration {
  return loadTask(inputs, backupSettings, databaseSchema, backupSchema)
}

/** As for a backup. @throws ConfigError with every problem that was found */
export function loadKeysConfiguration(inputs: Inputs): KeysConfiguration {
  return loadTask(inputs, keysSettings, keysSchema, nothing)
}

/** As for a backup. @throws ConfigError with every problem that was found */
export function loadNewKeyConfiguration(inputs: Inputs): NewKeyConfiguration {
  return loadTask(inputs, newKeySettings, keysSchema, newKeySchema)
}

/** As for the service. @throws ConfigError with every problem that was found */
export function loadPaymasterConfiguration({ args, env }: Inputs): PaymasterConfiguration {
  const { layers, problems, warnings } = readCommand({ args, env }, paymasterSettings)
  const source = collect(problems, () => decode(sourceSchema, layers, { env }))
  const file = source?.config === undefined ? noFile : readConfigFile(source.config)
  problems.push(...file.problems)
  const funds = collect(problems, () => decode(fundsSchema, layers, { env }))
  const chains = decodeChains(operatorSchema, { file, layers, problems, env, path: source?.config })
  problems.push(...chains.flatMap(tokenProblems))
  if (funds === undefined || problems.length > 0) throw new ConfigError([...new Set(problems)])
  return { ...funds, chains, warnings }
}

/** As for the service. @throws ConfigError with every problem that was found */
export function loadExplainConfiguration({ args, env }: Inputs): ExplainConfiguration {
  const { layers, problems, warnings } = readCommand({ args, env }, explainSettings)
  const source = collect(problems, () => decode(sourceSchema, layers, { env }))
  const file = source?.config === undefined ? noFile : readConfigFile(source.config)
  problems.push(...file.problems)
  const chains = decodeChains(simulationSchema, { file, layers, problems, env, path: source?.config })
  if (problems.length > 0) throw new ConfigError([...new Set(problems)])
  return { chains, warnings }
}

/** Each chain of the file, or the only one, with what somebody gave; those with problems are left out. */
function decodeChains<Schema extends TObject>(
  schema: Schema,
  from: {
    file: FileLayers
    layers: readonly Layer[]
    problems: string[]
    env: Environment
    path: string | undefined
  },
): (StaticDecode<Schema> & { given: ReadonlySet<string> })[] {
  const { file, layers, problems, env, path } = from
  return (file.chains ?? [new Map<string, Given>()]).flatMap((chain, index) => {
    const where = file.chains === undefined ? '' : `${path}: chains[${index}]: `
    const given = [file.top, chain, ...layers]
    const settings = collect(problems, () => decode(schema, given, { env, where }))
    if (settings === undefined) return []
    return [{ ...settings, given: new Set(given.flatMap((layer) => [...layer.keys()])) }]
  })
}

const nothing = Type.Object({})

/** What a command that does one thing takes: `shared` with the service, so that the file may have it, and its `own`. */
function loadTask<Shared extends TObject, Own extends TObject>(
  { args, env }: Inputs,
  settings: Settings,
  shared: Shared,
  own: Own,
): StaticDecode<Own> & StaticDecode<Shared> & { warnings: readonly string[] } {
  const { layers, problems, warnings } = readCommand({ args, env }, settings)
  const source = collect(problems, () => decode(sourceSchema, layers, { env }))
  const file = source?.config === undefined ? noFile : readConfigFile(source.config)
  problems.push(...file.problems)
  const task = collect(problems, () => decode(own, layers, { env }))
  const place = collect(problems, () => decode(shared, [file.top, ...layers], { env }))
  if (task === undefined || place === undefined || problems.length > 0) throw new ConfigError(problems)
  return { ...task, ...place, warnings }
}

/**
 * Flags and environment only. @throws ConfigError with every problem that was found
 */
export function loadDevConfiguration({ args, env }: Inputs): DevConfiguration {
  const { layers, problems, warnings } = readCommand({ args, env }, devSettings)
  const dev = collect(problems, () => decode(devSchema, layers, { env }))
  const service = collect(problems, () => decode(devServiceSchema, layers, { env }))
  const chain = collect(problems, () => decode(devChainSchema, layers, { env }))
  if (service !== undefined) problems.push(...serviceIncoherences(service))
  if (dev === undefined || service === undefined || chain === undefined || problems.length > 0)
    throw new ConfigError(problems)
  return { dev, service, chain, warnings }
}

/** The environment's layer, then that of the flags. */
function readCommand(
  { args, env }: Inputs,
  settings: Settings,
): { layers: readonly Layer[]; problems: string[]; warnings: string[] } {
  const flags = readFlags(args, settings)
  const environment = readEnvironment(env, settings, knownSettings)
  return {
    layers: [environment.layer, flags.layer],
    problems: [...flags.problems, ...environment.problems],
    warnings: exposures(flags.layer, settings),
  }
}

function exposures(flags: Layer, settings: Settings): string[] {
  return [...flags].flatMap(([name, given]) => {
    const setting = settings.get(name)
    if (setting === undefined || !isExposed(given.value, setting)) return []
    return [`${given.source}: is visible in process lists: give it as @file or env:NAME`]
  })
}

/** The result, or `undefined` after its problems were added to `problems`. */
function collect<T>(problems: string[], task: () => T): T | undefined {
  try {
    return task()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    problems.push(...error.problems)
    return undefined
  }
}
