import { type StaticDecode, type TObject, Type } from '@sinclair/typebox'
import { ConfigError } from './config-error.ts'
import { decode } from './decode.ts'
import { type Environment, readEnvironment } from './environment.ts'
import { type FileLayers, readConfigFile } from './file.ts'
import { readFlags } from './flags.ts'
import type { Layer } from './given.ts'
import { incoherences, paymasterProblems, serviceIncoherences } from './incoherences.ts'
import {
  backupSchema,
  chainSchema,
  type DevSettings,
  databaseSchema,
  devChainSchema,
  devSchema,
  devServiceSchema,
  keysSchema,
  newKeySchema,
  type ServiceSettings,
  serviceSchema,
  sourceSchema,
} from './schema.ts'
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

/** What `serve` and `check` take. */
export const serveSettings = settingsOf(sourceSchema, serviceSchema, chainSchema)
/** What `dev` takes. */
export const devSettings = settingsOf(devSchema, devServiceSchema, devChainSchema)

/** What `backup` takes. */
export const backupSettings = settingsOf(sourceSchema, backupSchema, databaseSchema)

/** What all of `keys` take, and what `keys create` takes. */
export const keysSettings = settingsOf(sourceSchema, keysSchema)
export const newKeySettings = settingsOf(newKeySchema, sourceSchema, keysSchema)

const knownSettings = new Map([...serveSettings, ...devSettings, ...backupSettings, ...newKeySettings])
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
  const chains = (file.chains ?? [new Map()]).map((chain, index) => {
    const where = file.chains === undefined ? '' : `${source?.config}: chains[${index}]: `
    const given = [file.top, chain, ...layers]
    const settings = collect(problems, () => decode(chainSchema, given, { env, where }))
    return settings && { ...settings, given: new Set(given.flatMap((layer) => [...layer.keys()])) }
  })
  const complete = chains.filter((chain) => chain !== undefined)
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
