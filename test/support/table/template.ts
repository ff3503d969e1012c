import { expect } from 'bun:test'

export type Template =
  | string
  | number
  | boolean
  | null
  | readonly Template[]
  | { readonly [name: string]: Template }

/** What `{name}` stands for in a template: all of a text keeps its type, a part of one becomes text. */
export type Values = Readonly<Record<string, Template>>

/** What an answer can have in places that nobody knows before. */
const patterns: readonly [name: RegExp, pattern: (count: string) => string][] = [
  [/^hash$/, () => '0x[0-9a-f]{64}'],
  [/^quantity$/, () => '0x(?:0|[1-9a-f][0-9a-f]*)'],
  [/^time$/, () => '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z'],
  [/^bytes (\d+)$/, (count) => `0x[0-9a-f]{${2 * Number(count)}}`],
]

/** @throws for a name without a value */
export function filled(template: Template, values: Values): Template {
  return mapped(template, (text) => {
    const only = /^\{([^{}]+)\}$/.exec(text)?.[1]
    if (only !== undefined) return known(only, values)
    return text.replace(/\{([^{}]+)\}/g, (_all, name) => String(known(name, values)))
  })
}

/** What to compare an answer with: `{hash}`, `{quantity}`, `{time}` and `{bytes 65}` are any of their kind. */
export function expected(template: Template, values: Values): Template {
  return mapped(template, (text) => {
    const parts = text.split(/\{([^{}]+)\}/)
    const isPattern = (part: string, index: number) => index % 2 === 1 && patternOf(part) !== undefined
    if (!parts.some(isPattern)) return filled(text, values)
    const source = parts.map((part, index) =>
      index % 2 === 0 ? escaped(part) : (patternOf(part) ?? escaped(String(known(part, values)))),
    )
    return expect.stringMatching(new RegExp(`^${source.join('')}$`)) as unknown as string
  })
}

function mapped(template: Template, ofText: (text: string) => Template): Template {
  if (typeof template === 'string') return ofText(template)
  if (Array.isArray(template)) return template.map((entry) => mapped(entry, ofText))
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, mapped(value, ofText)]))
}

function known(name: string, values: Values): Template {
  const value = values[name]
  if (value === undefined) throw new Error(`nothing is known as {${name}}`)
  return value
}

function patternOf(name: string): string | undefined {
  for (const [form, pattern] of patterns) {
    const match = form.exec(name)
    if (match !== null) return pattern(match[1] ?? '')
  }
  return undefined
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
