import { readFileSync } from 'node:fs'
import type { Json } from '../base/errors.ts'
import { fromText, type Given, type Layer, unknown } from './given.ts'
import { chainSchema } from './schemas/chain.ts'
import { serviceSchema } from './schemas/service.ts'
import { type Settings, settingsOf } from './settings.ts'

/** What a configuration file gives: settings of the service and of all chains, and of each chain. */
export type FileLayers = {
  top: Layer
  /** `undefined`: the top level describes the only chain. */
  chains: readonly Layer[] | undefined
  problems: string[]
}

/** A part of the file: what may stand in it, and how its keys are named in problems. */
type Part = { settings: Settings; otherKeys: readonly string[]; what: string }

const topPart: Part = {
  settings: settingsOf(serviceSchema, chainSchema),
  otherKeys: ['chains'],
  what: 'a setting',
}
const chainPart: Part = { settings: settingsOf(chainSchema), otherKeys: [], what: 'a setting of a chain' }

type Entries = { readonly [key: string]: Json | undefined }

/** A JSON file. What is wrong with it is in `problems`, without its text. */
export function readConfigFile(path: string): FileLayers {
  const content = parse(path)
  if (typeof content === 'string') return { top: new Map(), chains: undefined, problems: [content] }
  const { chains, ...rest } = content
  const { layer: top, problems } = readPart(rest, topPart, `${path}: `)
  if (chains === undefined) return { top, chains, problems }
  if (!Array.isArray(chains) || chains.length === 0 || !chains.every(isObject)) {
    problems.push(`${path}: chains: must be a list of objects, one a chain`)
    return { top, chains: undefined, problems }
  }
  const parts = chains.map((chain, index) => readPart(chain, chainPart, `${path}: chains[${index}].`))
  problems.push(...parts.flatMap((part) => part.problems))
  return { top, chains: parts.map((part) => part.layer), problems }
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

function readPart(entries: Entries, part: Part, prefix: string): { layer: Layer; problems: string[] } {
  const layer = new Map<string, Given>()
  const problems: string[] = []
  for (const [name, value] of Object.entries(entries)) {
    const setting = part.settings.get(name)
    if (setting === undefined) {
      problems.push(`${prefix}${unknown(name, part.what, [...part.settings.keys(), ...part.otherKeys])}`)
    } else if (value !== undefined) {
      // A list may be given as one text with commas, as in a flag.
      const isListAsText = typeof value === 'string' && setting.type === 'array'
      layer.set(name, { value: isListAsText ? fromText(value, setting) : value, source: `${prefix}${name}` })
    }
  }
  return { layer, problems }
}

function isObject(value: Json): value is Entries & Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
