import { InvalidParams } from '../base/errors.ts'

/** Objects and arrays within each other; a filter for logs has four. Thousands could not be written down again. */
const deepest = 32

/** @throws InvalidParams for params that no node could be asked */
export function requireShallow(params: readonly unknown[]): void {
  if (isDeeper(params, deepest)) throw new InvalidParams('params are nested too deeply', { path: 'params' })
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}
