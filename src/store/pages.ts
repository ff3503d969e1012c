/**
 * All rows of a query that is asked in pages, since a server refuses answers over 10 MB.
 * @param next the page after `last`, of `size` rows unless it is the last one
 */
export async function allPages<Row>(
  size: number,
  next: (last: Row | undefined) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const page = await next(rows.at(-1))
    rows.push(...page)
    if (page.length < size) return rows
  }
}
