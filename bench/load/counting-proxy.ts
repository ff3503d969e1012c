/** A node behind a counter of JSON-RPC calls: entries of a batch count one each. */
export type CountingProxy = { url: string; calls(): number; stop(): void }

export function startCountingProxy(target: string): CountingProxy {
  let calls = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(request) {
      const body = await request.text()
      calls += count(body)
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(target, { method: 'POST', headers, body })
      return new Response(response.body, { status: response.status, headers })
    },
  })
  return { url: server.url.origin, calls: () => calls, stop: () => void server.stop(true) }
}

function count(body: string): number {
  const parsed: unknown = JSON.parse(body)
  return Array.isArray(parsed) ? parsed.length : 1
}
