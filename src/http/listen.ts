import type { AnyElysia } from 'elysia'
import { withDeadline } from '../base/queue.ts'

/** An app that takes connections. */
export type Listener = {
  /** With the port that was taken. */
  url: string
  /** Takes no more connections, lets the calls under way end, cuts off what lasts longer than `drainMs`. */
  stop(drainMs: number): Promise<void>
}

/** Somebody else listens there; one line for the operator. */
export class PortInUse extends Error {
  override readonly name = 'PortInUse'
  constructor(port: number) {
    super(`port ${port} is in use: choose another`)
  }
}

/** @throws PortInUse, or the system's error when the host is not ours */
export function listen(app: AnyElysia, options: { port: number; host: string }): Listener {
  try {
    app.listen({ port: options.port, hostname: options.host })
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    throw isTaken ? new PortInUse(options.port) : error
  }
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
