import { describe, expect, test } from 'bun:test'
import { createTurns } from '../../../src/bundler/turns.ts'

const line = (name: string, size: number) => ({ line: name, entries: Array.from({ length: size }) })
const order = (rounds: number, ...candidates: ReturnType<typeof line>[]) => {
  const choose = createTurns<string>()
  return Array.from({ length: rounds }, () => choose(candidates)?.line).join('')
}

describe('turns', () => {
  test('go to the largest bundle', () => {
    expect(order(1, line('a', 1), line('b', 3), line('c', 2))).toBe('b')
  })

  test('go round among equals', () => {
    expect(order(6, line('a', 5), line('b', 5), line('c', 5))).toBe('abcabc')
  })

  test('reach a line sooner the more it has', () => {
    expect(order(9, line('a', 10), line('b', 5))).toBe('aabaabaab')
    expect(order(12, line('a', 16), line('b', 1))).toBe('aaaaabaaaaab')
  })

  test('are nobody’s when nobody asks', () => {
    expect(createTurns<string>()([])).toBeUndefined()
  })
})
