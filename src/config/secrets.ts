import { readFileSync } from 'node:fs'
import type { Json } from '../base/errors.ts'
import type { Environment } from './environment.ts'
import { type Given, splitList } from './given.ts'
import type { Setting } from './kinds.ts'

/** A secret that is said to be elsewhere and is not. The message does not repeat what was given. */
export class SecretError extends Error {
  override readonly name = 'SecretError'
}

/**
 * The value of a secret setting with each `@file` and `env:NAME` replaced by what is there. A file or variable may
 * hold several entries of a list. Paths are relative to the working directory.
 * @throws SecretError when it is not there
 */
export function reveal(value: Json, setting: Setting, env: Environment): Json {
  if (setting.secret === undefined) return value
  if (Array.isArray(value)) {
    return value.flatMap((item: Json) => {
      const text = typeof item === 'string' ? referred(item, env) : undefined
      return text === undefined ? [item] : splitList(text)
    })
  }
  return typeof value === 'string' ? (referred(value, env) ?? value) : value
}

/** Whether a secret itself stands here, where process lists show it. */
export function isExposed({ value }: Given, setting: Setting): boolean {
  if (setting.secret === undefined) return false
  const texts = (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string')
  return texts.some((text) => !isReference(text) && (setting.secret === 'always' || mayHoldKey(text)))
}

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
