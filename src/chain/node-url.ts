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

const isWebSocketUrl = (url: string): boolean => /^wss?:/i.test(url)

/** Characters from which a part of a URL may be a key; shorter ones are words such as `rpc` and `v2`. */
const shortestKey = 8

/** Takes what may be a key in the URL out of a text: some providers repeat it in their errors. */
export function createScrubber(nodeUrl: string): (text: string) => string {
  const url = new URL(nodeUrl)
  const login = `${decoded(url.username)}:${decoded(url.password)}`
  const parts = [
    ...url.pathname.split('/'),
    ...url.search.split(/[?&=]/),
    ...[url.username, url.password, Buffer.from(login).toString('base64')],
  ]
  const keys = parts.flatMap((part) => [part, decoded(part)]).filter((part) => part.length >= shortestKey)
  return (text) => keys.reduce((rest, key) => rest.replaceAll(key, '…'), text)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
