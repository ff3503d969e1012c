import { InvalidParams } from '../../../src/base/errors.ts'
import { type Endpoint, Link } from '../../../src/base/threads.ts'

declare const self: Endpoint

/** The other side of threads.test.ts. */
export const handlers = {
  double: (value: number) => value * 2,
  refuse: (path: string): never => {
    throw new InvalidParams('refused', { path })
  },
  fault: (_: undefined): never => {
    throw new TypeError('a fault of ours')
  },
  /** Asks the main thread, which must be serving too. */
  askBack: async (value: number): Promise<string> => `${await link.remote.name(undefined)} ${value}`,
  bigints: (value: { wei: bigint }) => ({ wei: value.wei + 1n }),
}

const link = new Link<{ name: (argument: undefined) => string }>(self, handlers, {
  deadlineMs: 60_000,
  maxInFlight: 100,
})
