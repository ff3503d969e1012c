import type { StaticDecode, TObject } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { describe, type Json } from '../base/errors.ts'
import { ConfigError } from './config-error.ts'
import type { Environment } from './environment.ts'
import type { Given, Layer } from './given.ts'
import type { Setting } from './kinds.ts'
import { reveal } from './secrets.ts'
import { environmentOf, flagOf, isRequired, settingsOf } from './settings.ts'

/**
 * One object of `schema` from layers, the later of which win, over the defaults.
 * @param where goes before the name of a missing setting
 * @throws ConfigError with every problem
 */
export function decode<Schema extends TObject>(
  schema: Schema,
  layers: readonly Layer[],
  { env, where = '' }: { env: Environment; where?: string },
): StaticDecode<Schema> {
  const values: { [name: string]: Json } = {}
  const problems: string[] = []
  for (const [name, setting] of settingsOf(schema)) {
    const given = layers.findLast((layer) => layer.has(name))?.get(name)
    const outcome = given === undefined ? fallback(name, setting) : checked(given, setting, env)
    if ('problem' in outcome) problems.push(`${given === undefined ? where : ''}${outcome.problem}`)
    else if (outcome.value !== undefined) values[name] = outcome.value
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return Value.Decode(schema, values)
}

type Outcome = { value: Json | undefined } | { problem: string }

function fallback(name: string, setting: Setting): Outcome {
  if (!isRequired(setting)) return { value: setting.default }
  return {
    problem: `${name} is missing: give ${flagOf(name)}, ${environmentOf(name)}, or ${name} in the file`,
  }
}

function checked(given: Given, setting: Setting, env: Environment): Outcome {
  try {
    const value = reveal(given.value, setting, env)
    const error = Value.Errors(setting, value).First()
    if (error === undefined) return { value }
    const [, entry, field = ''] = /^\/([0-9]+)(?:\/([a-zA-Z]+))?/.exec(error.path) ?? []
    const place = entry === undefined ? '' : ` (entry ${Number(entry) + 1}${field && `: ${field}`})`
    return { problem: `${given.source}${place}: must be ${setting.expected}` }
  } catch (error) {
    return { problem: `${given.source}: ${describe(error)}` }
  }
}
