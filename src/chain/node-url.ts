/** Where and how an HTTP request reaches a node. */
export type HttpTarget = { url: string; headers: Record<string, string> }

/** User info in a URL becomes a header, since fetch refuses it; of a WebSocket URL the HTTP twin is asked. */
export function httpTarget(nodeUrl: string): HttpTarget {
  const url = new URL(nodeUrl.replace(/^ws(s?):/, 'http$1:'))
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (url.username !== '' || url.password !== '') {
    const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    headers.authorization = `Basic ${Buffer.from(user).toString('base64')}`
    url.username = ''
    url.password = ''
  }
  return { url: url.href, headers }
}

/** The URLs to send requests to: HTTP ones, and the twins of WebSocket ones only when there are no others. */
export function requestUrls(nodeUrls: readonly string[]): readonly string[] {
  const http = nodeUrls.filter((url) => !isWebSocketUrl(url))
  return http.length > 0 ? http : nodeUrls
}

export const isWebSocketUrl = (url: string): boolean => /^wss?:/i.test(url)
