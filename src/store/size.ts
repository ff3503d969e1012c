import type { Client } from '@libsql/client'
import type { Pruned } from '../types/ports/store.ts'

/** Of a database without what is ahead of it in a log. */
export type Size = Pick<Pruned, 'bytes' | 'usedBytes'>

export async function sizeOf(client: Client): Promise<Size> {
  const { rows } = await client.execute(
    'select page_count * page_size as bytes, (page_count - freelist_count) * page_size as usedBytes from pragma_page_count(), pragma_freelist_count(), pragma_page_size()',
  )
  return { bytes: Number(rows[0]?.bytes), usedBytes: Number(rows[0]?.usedBytes) }
}
