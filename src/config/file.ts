import { readFileSync } from 'node:fs'
import type { Json } from '../base/errors.ts'
import { fromText, type Given, type Layer, unknown } from './given.ts'
import { chainSchema, serviceSchema } from './schema.ts'
import { type Settings, settingsOf } from './settings.ts'

/** What a configuration file gives: settings of the service and of all chains, and of each chain. */
export type FileLayers = {
  top: Layer
  /** `undefined`: the top level describes the only chain. */
  chains: readonly Layer[] | undefined
  problems: string[]
}

const topSettings = settingsOf(serviceSchema, chainSchema)
const chainSettings = settingsOf(chainSchema)

type Entries = { readonly [key: string]: Json | undefined }

/** A JSON file. What is wrong with it is in `problems`, without its text. */
export function readConfigFile(path: string): FileLayers {
  const content = parse(path)
  if (typeof content === 'string') return { top: new Map(), chains: undefined, problems: [content] }
  const { chains, ...rest } = content
  const problems: string[] = []
  const top = layerOf(rest, topSettings, path, '', ['chains'], problems)
  if (chains === undefined) return { top, chains, problems }
  if (!Array.isArray(chains) || chains.length === 0 || !chains.every(isObject)) {
    problems.push(`${path}: chains: must be a list of objects, one a chain`)
    return { top, chains: undefined, problems }
  }
  const layers = chains.map((chain, index) =>
    layerOf(chain, chainSettings, path, `chains[${index}].`, [], problems),
  )
  return { top, chains: layers, problems }
}

/** The object in the file, or what is wrong. */
function parse(path: string): Entries | string {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return `${path}: cannot be read`
  }
  try {
    const content: Json = JSON.parse(text)
    return isObject(content) ? content : `${path}: must be a JSON object`
  } catch {
    return `${path}: is not valid JSON`
  }
}

function layerOf(
  entries: Entries,
  settings: Settings,
  path: string,
  prefix: string,
  otherKeys: readonly string[],
  problems: string[],
): Layer {
  const layer = new Map<string, Given>()
  for (const [name, value] of Object.entries(entries)) {
    const setting = settings.get(name)
    if (setting === undefined) {
      problems.push(
        `${path}: ${prefix}${unknown(name, prefix === '' ? 'a setting' : 'a setting of a chain', [...settings.keys(), ...otherKeys])}`,
      )
    } else if (value !== undefined) {
      // A list may be given as one text with commas, as in a flag.
      const list = typeof value === 'string' && setting.type === 'array'
      layer.set(name, { value: list ? fromText(value, setting) : value, source: `${path}: ${prefix}${name}` })
    }
  }
  return layer
}

function isObject(value: Json): value is Entries & Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
