import { fromText, type Given, type Layer, splitList, unknown } from './given.ts'
import type { Setting } from './kinds.ts'
import { flagOf, type Settings } from './settings.ts'

/**
 * `--name value`, `--name=value`, and `--name` or `--no-name` of a boolean. Lists take commas and may be repeated.
 * Values are never quoted in problems: a key may stand in the wrong place.
 */
export function readFlags(args: readonly string[], settings: Settings): { layer: Layer; problems: string[] } {
  const meanings = meaningsOf(settings)
  const layer = new Map<string, Given>()
  const problems: string[] = []
  for (let index = 0; index < args.length; index += 1) {
    const { flag, inline } = split(args[index] ?? '')
    const meaning = meanings.get(flag)
    const next = args[index + 1]
    const following = inline === undefined && next?.startsWith('--') === false ? next : undefined
    if (!flag.startsWith('--')) problems.push(`argument ${index + 1} is not a flag: flags begin with --`)
    else if (meaning === undefined) {
      problems.push(unknown(flag, 'a flag of this command', meanings.keys()))
      if (following !== undefined) index += 1
    } else {
      const isSwitch = meaning.implied !== undefined
      const text = inline ?? (isSwitch ? meaning.implied : following)
      if (!isSwitch && following !== undefined) index += 1
      const problem = text === undefined ? 'needs a value' : put(layer, meaning, { text, source: flag })
      if (problem !== undefined) problems.push(`${flag}: ${problem}`)
    }
  }
  return { layer, problems }
}

/** What a flag sets; `implied` is the value of a switch that is given without one. */
type Meaning = { name: string; setting: Setting; implied?: 'true' | 'false' }

function meaningsOf(settings: Settings): ReadonlyMap<string, Meaning> {
  const meanings = new Map<string, Meaning>()
  for (const [name, setting] of settings) {
    if (setting.type === 'boolean') {
      meanings.set(flagOf(name), { name, setting, implied: 'true' })
      meanings.set(flagOf(name).replace('--', '--no-'), { name, setting, implied: 'false' })
    } else meanings.set(flagOf(name), { name, setting })
  }
  return meanings
}

function split(argument: string): { flag: string; inline: string | undefined } {
  const at = argument.indexOf('=')
  if (at === -1) return { flag: argument, inline: undefined }
  return { flag: argument.slice(0, at), inline: argument.slice(at + 1) }
}

/** Adds a value, or says what is wrong with adding it. */
function put(
  layer: Map<string, Given>,
  { name, setting, implied }: Meaning,
  { text, source }: { text: string; source: string },
): string | undefined {
  if (implied === 'false' && text !== 'false') return 'takes no value'
  const before = layer.get(name)
  if (before === undefined) layer.set(name, { value: fromText(text, setting), source })
  else if (Array.isArray(before.value))
    layer.set(name, { value: [...before.value, ...splitList(text)], source })
  else return 'is given twice'
  return undefined
}
