/** A node behind a counter of HTTP requests, and of JSON-RPC calls: entries of a batch count one each. */
export type CountingProxy = { url: string; requests(): number; calls(): number; stop(): void }

export function startCountingProxy(target: string): CountingProxy {
  let requests = 0
  let calls = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(request) {
      const body = await request.text()
      requests += 1
      calls += count(body)
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(target, { method: 'POST', headers, body })
      return new Response(response.body, { status: response.status, headers })
    },
  })
  return {
    url: server.url.origin,
    requests: () => requests,
    calls: () => calls,
    stop: () => void server.stop(true),
  }
}

function count(body: string): number {
  const parsed: unknown = JSON.parse(body)
  return Array.isArray(parsed) ? parsed.length : 1
}
