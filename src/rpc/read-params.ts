import { type TProperties, type TSchema, TypeGuard } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { InvalidParams } from '../base/errors.ts'

/**
 * Positional → named. Null counts as absent, also inside a parameter; a parameter too many is an error unless it is
 * null. The reader throws InvalidParams.
 */
export function createReader(
  schemas: TProperties,
): (given: readonly unknown[]) => { [name: string]: unknown } {
  const slots = Object.entries(schemas).map(([name, schema], index) => ({
    name,
    path: `params[${index}]`,
    optional: TypeGuard.IsOptional(schema),
    expected: expectedBy(schema),
    check: TypeCompiler.Compile(schema),
    present: TypeGuard.IsUnknown(schema) ? asItIs : withoutNulls,
  }))
  return (given) => {
    const extra = given.findIndex((value, index) => index >= slots.length && value !== null)
    if (extra >= 0) {
      const message = slots.length === 0 ? 'no parameters are expected' : `at most ${slots.length} parameters`
      throw new InvalidParams(message, { path: `params[${extra}]` })
    }
    const args: { [name: string]: unknown } = {}
    slots.forEach(({ name, path, optional, expected, check, present }, index) => {
      const value = present(given[index]) ?? undefined
      if (value === undefined) {
        if (!optional) throw new InvalidParams(`${name} is missing`, { path })
      } else if (check.Check(value)) {
        args[name] = value
      } else {
        throw new InvalidParams(`${name} must be ${expected}`, { path: path + innerPath(check, value) })
      }
    })
    return args
  }
}

const asItIs = (value: unknown): unknown => value

/** State overrides have fields by address, and nothing has more. */
const fieldLevels = 2

function withoutNulls(value: unknown, levels = fieldLevels): unknown {
  if (levels === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((entry) => withoutNulls(entry, levels - 1))
  const fields = Object.entries(value).filter(([, field]) => field !== null)
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field, levels - 1)]))
}

/** Where inside a parameter the first fault is: `[0].opsSeen`. */
function innerPath(check: ReturnType<typeof TypeCompiler.Compile>, value: unknown): string {
  const pointer = check.Errors(value).First()?.path ?? ''
  return pointer.replace(/\/(\d+)(?=\/|$)/g, '[$1]').replace(/\//g, '.')
}

/** What a schema says of itself, for messages. */
export function expectedBy(schema: TSchema): string {
  return (schema as { expected?: string }).expected ?? schema.description ?? 'of the documented type'
}
