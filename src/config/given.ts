import type { Json } from '../base/errors.ts'
import { nearest } from '../base/nearest.ts'
import type { Setting } from './kinds.ts'

/** A value as somebody gave it, and where: `--port`, `TANDEM_PORT`, `tandem.json: chains[0].port`. */
export type Given = { value: Json; source: string }

/** What one source gives, by the name of the setting. */
export type Layer = ReadonlyMap<string, Given>

/** A flag's or variable's text as JSON of the setting's kind; text that does not fit stays for the check to refuse. */
export function fromText(text: string, setting: Setting): Json {
  switch (setting.type) {
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'integer':
      return /^[0-9]{1,16}$/.test(text) ? Number(text) : text
    case 'number':
      return /^[0-9]{1,16}(\.[0-9]{1,16})?$/.test(text) ? Number(text) : text
    case 'array':
      return text.trimStart().startsWith('[') ? jsonOr(text) : splitList(text)
    case 'object':
      return jsonOr(text)
    case 'string':
      return text
    default:
      return text.trimStart().startsWith('{') ? jsonOr(text) : text
  }
}

export function splitList(text: string): string[] {
  return text.split(/[\s,]+/).filter((item) => item !== '')
}

/** "is not a …", with the nearest one that is. */
export function unknown(given: string, what: string, valid: Iterable<string>): string {
  const suggestion = nearest(given, valid)
  const hint = suggestion === undefined ? '' : `: did you mean ${suggestion}?`
  return `${given} is not ${what}${hint}`
}

function jsonOr(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
