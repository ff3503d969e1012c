import { expect, test } from 'bun:test'
import { type Lease, leaseText, standing } from '../../../src/store/lease.ts'

const lease = (changes: Partial<Lease> = {}): Lease => ({
  ...{ host: 'alpha', pid: 7, process: undefined, token: 'a', fence: 3 },
  ...{ duration: 15_000, since: 0, until: 15_000 },
  ...changes,
})

const look = (
  seen: Parameters<typeof standing>[0],
  { now = 1_000, watched = 0, dead = false }: { now?: number; watched?: number; dead?: boolean } = {},
) => standing(seen, { now, watched, isDead: () => dead })

test('a lease that nobody has is free', () => {
  expect(look({ first: undefined, lease: undefined })).toBe('free')
})

test('a lease is free from its end on, not before', () => {
  const seen = { first: lease(), lease: lease() }
  expect(look(seen, { now: 14_999 })).toBe('watched')
  expect(look(seen, { now: 15_000 })).toBe('free')
})

test('a lease that was given back is free at once', () => {
  expect(look({ first: lease(), lease: lease({ until: 0 }) })).toBe('free')
})

test('a lease of a process that is known to be dead is free at once', () => {
  expect(look({ first: lease(), lease: lease() }, { dead: true })).toBe('free')
})

test('a lease that is renewed while it is watched is alive', () => {
  expect(look({ first: lease(), lease: lease({ until: 20_000 }) })).toBe('alive')
})

test('a lease that another has taken meanwhile is alive', () => {
  expect(look({ first: undefined, lease: lease() })).toBe('alive')
  expect(look({ first: lease(), lease: lease({ token: 'b' }) })).toBe('alive')
})

test('a lease that is not renewed for all of its time is free, although the clock of the database went back', () => {
  const ahead = lease({ until: 9_000_000 })
  expect(look({ first: ahead, lease: ahead }, { watched: 14_999 })).toBe('watched')
  expect(look({ first: ahead, lease: ahead }, { watched: 15_000 })).toBe('free')
})

test('who has it is told in one line', () => {
  expect(leaseText(lease({ since: 1_000, until: 16_000 }))).toBe(
    'process 7 on alpha, since 1970-01-01T00:00:01.000Z, until 1970-01-01T00:00:16.000Z unless it renews',
  )
})
