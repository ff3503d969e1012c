import { expect, test } from 'bun:test'
import { createLog } from '../../../src/base/log.ts'
import { persist } from '../../../src/base/persist.ts'

const log = createLog({ level: 'silent' })

test('repeats until it succeeds', async () => {
  let attempts = 0
  const task = async () => {
    attempts += 1
    if (attempts < 2) throw new Error('outage')
    return 'done'
  }
  expect(await persist('step', task, { signal: new AbortController().signal, log })).toBe('done')
  expect(attempts).toBe(2)
})

test('gives up with the last error when a stop is asked for, without another attempt', async () => {
  const controller = new AbortController()
  let attempts = 0
  const task = async () => {
    attempts += 1
    queueMicrotask(() => queueMicrotask(() => controller.abort()))
    throw new Error(`outage ${attempts}`)
  }
  const outcome = persist('step', task, { signal: controller.signal, log })
  expect(outcome).rejects.toThrow('outage 1')
  await outcome.catch(() => {})
  expect(attempts).toBe(1)
})
