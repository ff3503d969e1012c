import { type Address, getAddress } from 'viem'
import { InvalidParams } from '../base/errors.ts'
import { entryPoints, versionAt } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'

/** @throws InvalidParams naming the EntryPoints that are served */
export function servedVersion(
  address: string,
  { versions }: { readonly versions: readonly EntryPointVersion[] },
  path: string,
): EntryPointVersion {
  const version = versionAt(address as Address)
  if (version !== undefined && versions.includes(version)) return version
  const named = versions.map((known) => `${entryPoints[known].address} (${known})`).join(', ')
  throw new InvalidParams(`EntryPoint ${getAddress(address)} is not served; served: ${named}`, {
    path,
    entryPoints: versions.map((known) => entryPoints[known].address),
  })
}
