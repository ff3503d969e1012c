import { afterAll, describe, expect, test } from 'bun:test'
import {
  describe as describeError,
  LimitExceeded,
  NoAnswer,
  TandemError,
  Unavailable,
} from '../../../src/base/errors.ts'
import { deferred } from '../../../src/base/queue.ts'
import { type Endpoint, endpointPair, type Handlers, Link } from '../../../src/base/threads.ts'
import type { handlers as echoHandlers } from './echo.worker.ts'

const patient = { deadlineMs: 60_000, maxInFlight: 100 }

/** A caller linked to `handlers` in the same thread, and the messages that it sends and receives. */
function linked<H extends Handlers>(handlers: H, options = patient) {
  const [near, far] = endpointPair() as [MessagePort, MessagePort]
  const sent: unknown[] = []
  const received: unknown[] = []
  const counted: Endpoint = {
    postMessage(message) {
      sent.push(message)
      near.postMessage(message)
    },
    get onmessage() {
      return near.onmessage
    },
    set onmessage(listener) {
      near.onmessage = (event) => {
        received.push(event.data)
        listener?.call(near, event)
      }
    },
  }
  const caller = new Link<H>(counted, {}, options)
  new Link(far, handlers, patient)
  ports.push(near, far)
  return { caller, remote: caller.remote, sent, received }
}
const ports: MessagePort[] = []
afterAll(() => {
  for (const port of ports) port.close()
})

async function failure(promise: Promise<unknown>): Promise<TandemError> {
  const error = await promise.then(
    () => undefined,
    (thrown) => thrown,
  )
  expect(error).toBeInstanceOf(TandemError)
  return error
}

describe('a link', () => {
  test('answers each call with its own result', async () => {
    const { remote, caller } = linked({ double: (value: number) => value * 2 })
    expect(await Promise.all([1, 2, 3].map((value) => remote.double(value)))).toEqual([2, 4, 6])
    expect(caller.inFlight).toBe(0)
  })

  test('what is only told travels with the calls of its tick, and is not answered', async () => {
    const heard: string[] = []
    const { caller, remote, sent, received } = linked({
      note: (text: string) => void heard.push(text),
      fail: (_: undefined) => Promise.reject(new Error('nobody asked')),
      double: (value: number) => value * 2,
    })
    caller.tell.note('first')
    caller.tell.fail(undefined)
    expect(await remote.double(1)).toBe(2)
    expect(heard).toEqual(['first'])
    expect(sent).toEqual([
      {
        notes: [
          { name: 'note', argument: 'first' },
          { name: 'fail', argument: undefined },
        ],
        calls: [{ id: 1, name: 'double', argument: 1 }],
      },
    ])
    expect(received).toEqual([{ replies: [{ id: 1, ok: 2 }] }])
    expect(caller.inFlight).toBe(0)
  })

  test('answers come in the order in which they are ready', async () => {
    const gate = deferred<string>()
    const { remote } = linked({ slow: (_: undefined) => gate.promise, quick: (_: undefined) => 'quick' })
    const slow = remote.slow(undefined)
    expect(await remote.quick(undefined)).toBe('quick')
    gate.resolve('slow')
    expect(await slow).toBe('slow')
  })

  test('calls of one tick travel in one message', async () => {
    const { remote, sent } = linked({ double: (value: number) => value * 2 })
    await Promise.all([1, 2, 3].map((value) => remote.double(value)))
    await remote.double(4)
    expect(sent).toEqual([
      {
        calls: [
          { id: 1, name: 'double', argument: 1 },
          { id: 2, name: 'double', argument: 2 },
          { id: 3, name: 'double', argument: 3 },
        ],
      },
      { calls: [{ id: 4, name: 'double', argument: 4 }] },
    ])
  })

  test('a call without an answer in time may or may not have happened', async () => {
    const { remote, caller } = linked(
      { never: (_: undefined) => new Promise(() => {}) },
      { ...patient, deadlineMs: 1 },
    )
    expect(await failure(remote.never(undefined))).toBeInstanceOf(NoAnswer)
    expect(caller.inFlight).toBe(0)
  })

  test('an answer after the deadline is ignored', async () => {
    const gate = deferred<string>()
    const { remote } = linked(
      { late: (_: undefined) => gate.promise, quick: (_: undefined) => 'quick' },
      { ...patient, deadlineMs: 50 },
    )
    await failure(remote.late(undefined))
    gate.resolve('late')
    expect(await remote.quick(undefined)).toBe('quick')
  })

  test('more calls in flight than allowed are refused at once', async () => {
    const gate = deferred<void>()
    const { remote } = linked({ wait: (_: undefined) => gate.promise }, { ...patient, maxInFlight: 2 })
    const waiting = [remote.wait(undefined), remote.wait(undefined)]
    const refused = await failure(remote.wait(undefined))
    expect(refused).toBeInstanceOf(LimitExceeded)
    expect(refused.data).toEqual({ retryAfterMs: 1000 })
    gate.resolve()
    await Promise.all(waiting)
    await remote.wait(undefined)
  })

  test('a handler that does not exist is our own fault', async () => {
    const { remote } = linked({} as { missing: (_: undefined) => void })
    expect(describeError(await failure(remote.missing(undefined)))).toBe('no handler missing')
  })

  test('an answer that cannot be cloned fails its own call only', async () => {
    const { remote } = linked({ bad: (_: undefined) => () => 'a function', good: (_: undefined) => 'good' })
    const [bad, good] = await Promise.allSettled([remote.bad(undefined), remote.good(undefined)])
    expect(bad.status).toBe('rejected')
    expect(good).toEqual({ status: 'fulfilled', value: 'good' })
  })

  test('an argument that cannot be cloned fails its own call only', async () => {
    const { remote, caller } = linked({ echo: (value: unknown) => value })
    const [bad, good] = await Promise.allSettled([remote.echo(() => 'a function'), remote.echo('good')])
    expect(bad.status).toBe('rejected')
    expect(good).toEqual({ status: 'fulfilled', value: 'good' })
    expect(caller.inFlight).toBe(0)
  })

  test('when the other side dies every open call fails', async () => {
    const { remote, caller } = linked({ never: (_: undefined) => new Promise(() => {}) })
    const open = [remote.never(undefined), remote.never(undefined)]
    caller.fail(new Unavailable('simulator died'))
    for (const call of open) expect(describeError(await failure(call))).toBe('simulator died')
    expect(caller.inFlight).toBe(0)
  })
})

describe('a real worker', () => {
  const worker = new Worker(new URL('./echo.worker.ts', import.meta.url).href)
  const { remote } = new Link<typeof echoHandlers>(
    worker as Endpoint,
    { name: (_: undefined) => 'main' },
    { deadlineMs: 60_000, maxInFlight: 5000 },
  )
  afterAll(() => worker.terminate())

  test('answers thousands of calls at once', async () => {
    const values = Array.from({ length: 5000 }, (_, index) => index)
    const doubled = values.map((value) => value * 2)
    expect(await Promise.all(values.map((value) => remote.double(value)))).toEqual(doubled)
  })

  test('calls go both ways', async () => {
    expect(await remote.askBack(1)).toBe('main 1')
  })

  test('bigints survive', async () => {
    expect(await remote.bigints({ wei: 2n ** 200n })).toEqual({ wei: 2n ** 200n + 1n })
  })

  test('an error keeps code, message and data, and loses its class', async () => {
    const error = await failure(remote.refuse('params[0]'))
    expect([error.name, error.code, error.message, error.data]).toEqual([
      'TandemError',
      -32602,
      'refused',
      { path: 'params[0]' },
    ])
  })

  test('a fault over there is our own fault here', async () => {
    const error = await failure(remote.fault(undefined))
    expect(error).toBeInstanceOf(Unavailable)
    expect(describeError(error)).toBe('a fault of ours')
  })
})
