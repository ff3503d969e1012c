import { expect, test } from 'bun:test'
import { createLog } from '../../../src/base/log.ts'
import { deferred } from '../../../src/base/queue.ts'
import { createShutdown } from '../../../src/base/shutdown.ts'

function shutdownWith(deadlineMs: number) {
  const lines: { message: string; [field: string]: unknown }[] = []
  const log = createLog({ level: 'info', write: (line) => lines.push(JSON.parse(line)) })
  return { shutdown: createShutdown({ deadlineMs }, { log }), lines }
}

test('steps run one after the other, the last registered first', async () => {
  const { shutdown } = shutdownWith(60_000)
  const events: string[] = []
  shutdown.onStop('store', () => {
    events.push('store')
  })
  shutdown.onStop('listener', async () => {
    events.push('listener begins')
    await Promise.resolve()
    events.push('listener ends')
  })
  await shutdown.stop('SIGTERM')
  expect(events).toEqual(['listener begins', 'listener ends', 'store'])
})

test('the signal is aborted with the reason before the first step', async () => {
  const { shutdown } = shutdownWith(60_000)
  const seen: unknown[] = []
  shutdown.onStop('step', () => {
    seen.push(shutdown.signal.aborted, shutdown.signal.reason)
  })
  expect(shutdown.signal.aborted).toBe(false)
  await shutdown.stop('SIGTERM')
  expect(seen).toEqual([true, 'SIGTERM'])
})

test('a second stop waits for the first one', async () => {
  const { shutdown } = shutdownWith(60_000)
  const gate = deferred<void>()
  let runs = 0
  shutdown.onStop('step', () => {
    runs += 1
    return gate.promise
  })
  const both = [shutdown.stop('SIGTERM'), shutdown.stop('SIGINT')]
  gate.resolve()
  await Promise.all(both)
  expect(runs).toBe(1)
})

test('a failing step is logged and the others run', async () => {
  const { shutdown, lines } = shutdownWith(60_000)
  const events: string[] = []
  shutdown.onStop('last', () => {
    events.push('last')
  })
  shutdown.onStop('broken', () => {
    throw new Error('no')
  })
  await shutdown.stop('SIGTERM')
  expect(events).toEqual(['last'])
  expect(lines).toContainEqual(
    expect.objectContaining({ message: 'stop step failed', step: 'broken', error: 'no' }),
  )
})

test('the whole stop has a deadline', async () => {
  const { shutdown, lines } = shutdownWith(1)
  shutdown.onStop('endless', () => new Promise(() => {}))
  await shutdown.stop('SIGTERM')
  expect(lines.at(-1)).toMatchObject({ message: 'stop incomplete', error: 'stop took longer than 1 ms' })
})

test('what is registered once a stop was asked for ends too, and a later stop waits for it', async () => {
  const { shutdown } = shutdownWith(60_000)
  await shutdown.stop('SIGTERM')
  const events: string[] = []
  shutdown.onStop('started late', async () => {
    await Promise.resolve()
    events.push('ended')
  })
  await shutdown.stop('start given up')
  expect(events).toEqual(['ended'])
})
