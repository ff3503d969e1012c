import { expect, test } from 'bun:test'
import { once } from '../../../src/base/once.ts'

test('nothing is made until it is asked for, and then one for all', () => {
  const made: object[] = []
  const get = once(() => {
    made.push({})
    return made.at(-1)
  })
  expect(made).toEqual([])
  const [first, second] = [get(), get()]
  expect(first).toBe(second)
  expect(made).toHaveLength(1)
})

test('nothing is a value too', () => {
  let calls = 0
  const get = once(() => {
    calls += 1
  })
  get()
  get()
  expect(calls).toBe(1)
})
