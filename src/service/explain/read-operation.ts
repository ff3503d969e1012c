import { isAddress } from 'viem'
import { InvalidParams } from '../../base/errors.ts'
import { servedVersion, versionByShape } from '../../rpc/entry-point.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import { parseUserOperation } from '../../types/rpc-userop.ts'
import type { UserOperation } from '../../types/userop.ts'

/**
 * The operation in a file's JSON: alone, with its EntryPoint as `[operation, "0x…"]`, or as the call that sends it.
 * @throws InvalidParams
 */
export function readOperation(json: unknown, versions: readonly EntryPointVersion[]): UserOperation {
  const params = isCall(json) ? json.params : json
  const [operation, entryPoint]: readonly unknown[] = Array.isArray(params) ? params : [params]
  if (entryPoint === undefined) {
    const version = versionByShape(operation, versions, 'the EntryPoint behind it, as [operation, "0x…"]')
    return parseUserOperation(operation, version, 'complete', 'operation')
  }
  if (typeof entryPoint !== 'string' || !isAddress(entryPoint, { strict: false }))
    throw new InvalidParams('the EntryPoint is not an address', { path: 'entryPoint' })
  const version = servedVersion(entryPoint, { versions }, 'entryPoint')
  return parseUserOperation(operation, version, 'complete', 'operation')
}

function isCall(json: unknown): json is { params: unknown } {
  return typeof json === 'object' && json !== null && 'params' in json
}
