import type { AnyElysia } from 'elysia'
import { withDeadline } from '../base/queue.ts'

/** An app that takes connections. */
export type Listener = {
  /** With the port that was taken. */
  url: string
  /** Takes no more connections, lets the calls under way end, cuts off what lasts longer than `drainMs`. */
  stop(drainMs: number): Promise<void>
}

/** @throws the system's error when the port is taken or the host is not ours */
export function listen(app: AnyElysia, options: { port: number; host: string }): Listener {
  app.listen({ port: options.port, hostname: options.host })
  const { server } = app
  if (server === null) throw new Error('the server did not start')
  const url = new URL(server.url)
  return {
    url: url.origin,
    async stop(drainMs) {
      const drained = withDeadline(server.stop(false), drainMs, () => new Error('not drained'))
      await drained.catch(() => server.stop(true))
    },
  }
}
