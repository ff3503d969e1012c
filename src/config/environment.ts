import { fromText, type Given, type Layer, unknown } from './given.ts'
import { environmentOf, environmentPrefix, type Settings } from './settings.ts'

export type Environment = { readonly [name: string]: string | undefined }

/**
 * The `TANDEM_…` variables of `settings`; an empty one counts as absent. Those of `known` settings that this command
 * does not take are passed over, any other is a problem.
 */
export function readEnvironment(
  env: Environment,
  settings: Settings,
  known: Settings,
): { layer: Layer; problems: string[] } {
  const layer = new Map<string, Given>()
  for (const [name, setting] of settings) {
    const source = environmentOf(name)
    const text = env[source]
    if (text !== undefined && text !== '') layer.set(name, { value: fromText(text, setting), source })
  }
  const valid = new Set([...known.keys()].map(environmentOf))
  const problems = Object.keys(env)
    .filter((name) => name.startsWith(environmentPrefix) && !valid.has(name))
    .map((name) => unknown(name, 'a setting', valid))
  return { layer, problems }
}
