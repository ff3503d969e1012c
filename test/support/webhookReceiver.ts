import { createHmac } from 'node:crypto'

export type WebhookBody = { id: string; event: string; timestamp: string; [field: string]: unknown }

export type WebhookReceiver = {
  url: string
  /** Of bodies whose signature holds. */
  bodies: WebhookBody[]
  /** The first body of an event, when it has come. */
  first(event: string): Promise<WebhookBody>
  stop(): Promise<void>
}

/** Takes webhooks as their reader should: what is not signed is refused. */
export function startWebhookReceiver(secret: string): WebhookReceiver {
  const bodies: WebhookBody[] = []
  const waiting = new Set<() => void>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const text = await request.text()
      const [, time, mac] =
        /^t=(\d+),v1=([0-9a-f]{64})$/.exec(request.headers.get('tandem-signature') ?? '') ?? []
      if (mac !== createHmac('sha256', secret).update(`${time}.${text}`).digest('hex'))
        return new Response('not signed', { status: 401 })
      bodies.push(JSON.parse(text))
      for (const look of waiting) look()
      return new Response()
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/hook/with-a-key`,
    bodies,
    first: (event) =>
      new Promise((resolve) => {
        const look = () => {
          const found = bodies.find((body) => body.event === event)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
    stop: () => server.stop(true),
  }
}
