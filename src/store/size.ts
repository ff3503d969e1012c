import type { Client } from '@libsql/client'

/** Bytes of a database without what is ahead of it in a log, and how many of them hold something. */
export type Size = { bytes: number; used: number }

export async function sizeOf(client: Client): Promise<Size> {
  const { rows } = await client.execute(
    'select page_count * page_size as bytes, (page_count - freelist_count) * page_size as used from pragma_page_count(), pragma_freelist_count(), pragma_page_size()',
  )
  return { bytes: Number(rows[0]?.bytes), used: Number(rows[0]?.used) }
}
