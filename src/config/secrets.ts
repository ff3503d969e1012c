import { readFileSync } from 'node:fs'
import { type TSchema, Type } from '@sinclair/typebox'
import type { Json } from '../base/errors.ts'
import type { Environment } from './environment.ts'
import { splitList } from './given.ts'

/** A secret that is said to be elsewhere and is not. The message does not repeat what was given. */
export class SecretError extends Error {
  override readonly name = 'SecretError'
}

/**
 * A value with each `@file` and `env:NAME` in a secret setting, or in a secret field of one, replaced by what is there.
 * A file or variable may hold several entries of a list. Paths are relative to the working directory.
 * @throws SecretError when it is not there
 */
export function reveal(value: Json, setting: TSchema, env: Environment): Json {
  if (setting.secret === undefined) {
    const fields = fieldsOf(value, setting)
    const revealed = fields.map(({ name, value, schema }) => [name, reveal(value, schema, env)] as const)
    if (Array.isArray(value)) return revealed.map(([, entry]) => entry)
    return fields.length === 0 ? value : Object.fromEntries(revealed)
  }
  if (Array.isArray(value)) {
    return value.flatMap((item: Json) => {
      const text = typeof item === 'string' ? referred(item, env) : undefined
      return text === undefined ? [item] : splitList(text)
    })
  }
  return typeof value === 'string' ? (referred(value, env) ?? value) : value
}

/** Whether a secret itself stands here, where process lists show it. */
export function isExposed(value: Json, setting: TSchema): boolean {
  const { secret } = setting
  if (secret === undefined)
    return fieldsOf(value, setting).some((field) => isExposed(field.value, field.schema))
  const texts = (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string')
  return texts.some((text) => !isReference(text) && (secret === 'always' || mayHoldKey(text)))
}

type Field = { name: string; value: Json; schema: TSchema }

/** Entries of a list or fields of an object, each with its own schema; none of anything else. */
function fieldsOf(value: Json, schema: TSchema): readonly Field[] {
  if (typeof value !== 'object' || value === null) return []
  const forms: readonly TSchema[] = schema.anyOf ?? [schema]
  return Object.entries(value).flatMap(([name, field]) => {
    const known = forms.map((form) => form.items ?? form.properties?.[name])
    return field === undefined ? [] : [{ name, value: field, schema: known.find(isSchema) ?? anything }]
  })
}

const isSchema = (schema: TSchema | undefined): schema is TSchema => schema !== undefined
const anything = Type.Any()

function isReference(text: string): boolean {
  return text.startsWith('@') || text.startsWith('env:')
}

function mayHoldKey(url: string): boolean {
  const parsed = URL.parse(url)
  if (parsed === null || parsed.protocol === 'file:') return false
  return (
    parsed.username !== '' || parsed.password !== '' || parsed.pathname.length > 1 || parsed.search !== ''
  )
}

/** `undefined` when `text` is the value itself. */
function referred(text: string, env: Environment): string | undefined {
  if (text.startsWith('@')) return fileText(text.slice(1))
  if (!text.startsWith('env:')) return undefined
  const value = env[text.slice('env:'.length)]
  if (value === undefined || value === '')
    throw new SecretError('the environment variable that it names is not set')
  return value.trim()
}

function fileText(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    throw new SecretError('the file that it names cannot be read')
  }
}
