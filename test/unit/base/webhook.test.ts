import { afterEach, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { createLog } from '../../../src/base/log.ts'
import { createMetrics } from '../../../src/base/metrics.ts'
import { createWebhook } from '../../../src/base/webhook.ts'

const secret = 'whsec-f00d'
const path = '/hooks/s3cr3t-path?token=t0k3n'

type Received = { body: string; signature: string; type: string }
type Answer = (request: Request, attempt: number) => Response | Promise<Response>

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** A receiver that answers as it is told, and a webhook that does not really wait between attempts. */
function start(answer: Answer, { timeoutMs = 10_000, port }: { timeoutMs?: number; port?: number } = {}) {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { headers } = request
      received.push({
        body: await request.text(),
        signature: headers.get('tandem-signature') ?? '',
        type: headers.get('content-type') ?? '',
      })
      for (const look of waiting) look()
      return answer(request, received.length)
    },
  })
  const controller = new AbortController()
  stops.push(
    () => controller.abort(),
    () => server.stop(true),
  )
  const lines: string[] = []
  const metrics = createMetrics()
  const pauses: number[] = []
  const webhook = createWebhook(
    { url: `http://127.0.0.1:${port ?? server.port}${path}`, secret, timeoutMs },
    {
      log: createLog({
        level: 'debug',
        write(line) {
          lines.push(line)
          for (const look of waiting) look()
        },
      }),
      metrics,
      signal: controller.signal,
      now: () => 1_700_000_000_999,
      pause: async (ms) => void pauses.push(ms),
    },
  )
  /** Resolves when `condition` holds; looked at whenever something is received or logged. */
  const until = (condition: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!condition()) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  const outcome = async (name: string) =>
    Number(new RegExp(`outcome="${name}"} (\\d+)`).exec(await metrics.text())?.[1] ?? 0)
  return { webhook, received, lines, pauses, until, outcome, controller, server }
}

const fine = () => new Response('thanks')

test('a body is posted, signed over its time and text', async () => {
  const { webhook, received, until } = start(fine)
  webhook.send({ event: 'a', amount: 2n ** 70n })
  await until(() => received.length === 1)
  const body = '{"event":"a","amount":"1180591620717411303424"}'
  const mac = createHmac('sha256', secret).update(`1700000000.${body}`).digest('hex')
  expect(received).toEqual([{ body, signature: `t=1700000000,v1=${mac}`, type: 'application/json' }])
})

test('bodies come one after the other, in their order', async () => {
  const gate = Promise.withResolvers<void>()
  const { webhook, received, until } = start(async () => {
    await gate.promise
    return fine()
  })
  for (const event of ['a', 'b', 'c']) webhook.send({ event })
  await until(() => received.length === 1)
  gate.resolve()
  await until(() => received.length === 3)
  expect(received.map(({ body }) => JSON.parse(body).event)).toEqual(['a', 'b', 'c'])
})

test('what is answered by an error is sent again, with growing pauses, as it was', async () => {
  const { webhook, received, pauses, until } = start((_, attempt) =>
    attempt < 4 ? new Response('oops', { status: 500 }) : fine(),
  )
  webhook.send({ event: 'a' })
  webhook.send({ event: 'b' })
  await until(() => received.length === 5)
  expect(received.map(({ body }) => JSON.parse(body).event)).toEqual(['a', 'a', 'a', 'a', 'b'])
  expect(pauses).toEqual([1000, 5000, 25_000])
})

test('it is given up after five attempts, and the next one has its turn', async () => {
  const { webhook, received, until, lines, outcome } = start((_, attempt) =>
    attempt <= 5 ? new Response('oops', { status: 503 }) : fine(),
  )
  webhook.send({ event: 'a' })
  webhook.send({ event: 'b' })
  await until(() => received.length === 6)
  expect(JSON.parse(received.at(-1)?.body ?? '{}')).toEqual({ event: 'b' })
  expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({
    ...{ level: 'error', message: 'webhook not delivered', reason: 'status 503' },
  })
  expect(await outcome('failed')).toBe(1)
})

test('a receiver that hangs is not waited for', async () => {
  const { webhook, received, until } = start(
    (_, attempt) => (attempt === 1 ? new Promise<Response>(() => {}) : fine()),
    { timeoutMs: 50 },
  )
  webhook.send({ event: 'a' })
  await until(() => received.length === 2)
  expect(received.map(({ body }) => body)).toEqual(['{"event":"a"}', '{"event":"a"}'])
})

test('a redirection is not followed', async () => {
  const { webhook, until, lines, received } = start(() =>
    Response.redirect('http://127.0.0.1:1/elsewhere', 307),
  )
  webhook.send({ event: 'a' })
  await until(() => lines.length === 1)
  expect(received.length).toBe(5)
  expect(lines[0]).toContain('status 307')
})

for (const [name, port] of [
  ['answers errors', undefined],
  ['is not there', 1],
] as const)
  test(`neither secret nor path is logged when the receiver ${name}`, async () => {
    const { webhook, until, lines } = start(() => new Response(secret, { status: 500 }), {
      ...(port === undefined ? {} : { port }),
    })
    webhook.send({ event: 'a' })
    await until(() => lines.length === 1)
    for (const hidden of [secret, 's3cr3t-path', 't0k3n']) expect(lines.join()).not.toContain(hidden)
    expect(lines[0]).toContain('"receiver":"http://127.0.0.1:')
  })

test('more than wait for a receiver that is away push the oldest out', async () => {
  const gate = Promise.withResolvers<void>()
  const { webhook, received, until, outcome } = start(async () => {
    await gate.promise
    return fine()
  })
  webhook.send({ event: 0 })
  await until(() => received.length === 1)
  for (let event = 1; event <= 103; event++) webhook.send({ event })
  gate.resolve()
  await until(() => received.length === 101)
  expect(received.map(({ body }) => JSON.parse(body).event).slice(0, 3)).toEqual([0, 4, 5])
  expect(await outcome('dropped')).toBe(3)
})

test('a stop ends what is under way, and takes nothing more', async () => {
  const arrived = Promise.withResolvers<void>()
  const { webhook, received, until, lines, controller } = start(() => {
    arrived.resolve()
    return new Promise<Response>(() => {})
  })
  webhook.send({ event: 'a' })
  await arrived.promise
  controller.abort()
  await until(() => lines.length === 1)
  webhook.send({ event: 'b' })
  expect(received.length).toBe(1)
})
