import { expect, spyOn, test } from 'bun:test'
import { collectRegularly } from '../../../src/base/collect.ts'

test('garbage is collected every minute', () => {
  const intervals = spyOn(globalThis, 'setInterval')
  const collections = spyOn(Bun, 'gc').mockImplementation(() => {})
  const stop = collectRegularly()
  const [[collect, ms] = []] = intervals.mock.calls
  ;(collect as () => void)()
  expect([ms, collections.mock.calls]).toEqual([60_000, [[true]]])
  stop()
  intervals.mockRestore()
  collections.mockRestore()
})
