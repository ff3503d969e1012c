import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe } from '../../base/errors.ts'
import { fileOf, type Place } from '../../store/client.ts'
import { type Inspection, inspect } from '../../store/inspect.ts'
import { leaseText } from '../../store/lease.ts'
import { withoutSecrets } from '../../store/store-error.ts'
import type { Finding } from './finding.ts'

/**
 * Whether the database can be used, and by whom it is; changes nothing. A file that is not there yet is not made, and
 * only its place is looked at.
 */
export async function checkStore(place: Place): Promise<Finding> {
  const file = fileOf(place.url)
  try {
    if (file !== undefined && !existsSync(file)) {
      accessSync(dirname(file), constants.W_OK)
      return { ok: true, text: `database: ${file} will be made` }
    }
    if (file !== undefined) accessSync(file, constants.W_OK)
    return { ok: true, text: `database: ${textOf(await inspect(place))}` }
  } catch (error) {
    return { ok: false, text: `database: ${file === undefined ? withoutSecrets(error) : describe(error)}` }
  }
}

function textOf({ schema, bytes, lease }: Inspection): string {
  const version =
    schema.found === schema.known
      ? `schema version ${schema.found}`
      : `schema version ${schema.found}, to be brought to ${schema.known}`
  const user = lease === undefined ? 'used by nobody' : `used by ${leaseText(lease)}`
  return `${version}, ${(bytes / 2 ** 20).toFixed(1)} MiB, ${user}`
}
