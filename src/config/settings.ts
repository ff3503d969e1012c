import { type TObject, TypeGuard } from '@sinclair/typebox'
import type { Setting } from './kinds.ts'

/** Settings by name, in the order of the schema. */
export type Settings = ReadonlyMap<string, Setting>

export function settingsOf(...schemas: readonly TObject[]): Settings {
  return new Map(schemas.flatMap((schema) => Object.entries(schema.properties) as [string, Setting][]))
}

/** A setting that somebody has to give. */
export function isRequired(setting: Setting): boolean {
  return setting.default === undefined && !TypeGuard.IsOptional(setting)
}

/** `rpcUrl` → `--rpc-url` */
export const flagOf = (name: string): string => `--${words(name).join('-')}`

/** `rpcUrl` → `TANDEM_RPC_URL` */
export const environmentOf = (name: string): string =>
  `${environmentPrefix}${words(name).join('_').toUpperCase()}`

export const environmentPrefix = 'TANDEM_'

function words(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(' ')
}
