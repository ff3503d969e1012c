/**
 * Where and how Kolibrio's order flow service takes `eth_sendRawTransaction` (docs.kolibrio.xyz, Ethereum): bundles
 * that would revert are left out, unless the operator's URL says otherwise.
 */
export function kolibriTarget({ url, apiKey }: { url: string; apiKey: string | undefined }): {
  url: string
  headers: Readonly<Record<string, string>>
} {
  const target = new URL(url)
  if (!target.searchParams.has('allow_reverts')) target.searchParams.set('allow_reverts', 'false')
  return { url: target.href, headers: apiKey === undefined ? {} : { 'x-api-key': apiKey } }
}
