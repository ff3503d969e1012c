import { type Address, getAddress } from 'viem'
import { InvalidParams } from '../base/errors.ts'
import { entryPoints, versionAt } from '../types/entrypoint.ts'
import type { EntryPointVersion } from '../types/entrypoint-version.ts'
import type { UserOperationStruct06 } from '../types/userop-pack.ts'

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

/**
 * The version of an operation that came without its EntryPoint: 0.6 has fields that no other has, 0.7 and 0.8 look the
 * same. @throws InvalidParams where it fits more than one, or none
 */
export function versionByShape(
  operation: unknown,
  versions: readonly EntryPointVersion[],
  path: string,
): EntryPointVersion {
  const { initCode, paymasterAndData } = { ...(operation as Partial<UserOperationStruct06>) }
  const is06 = Boolean(initCode ?? paymasterAndData)
  const fitting = versions.filter((version) => (version === '0.6') === is06)
  const [version] = fitting
  if (version === undefined || fitting.length > 1) {
    const problem = 'the operation fits more than one, or none that is served'
    throw new InvalidParams(`entryPoint is missing: ${problem}`, { path })
  }
  return version
}
