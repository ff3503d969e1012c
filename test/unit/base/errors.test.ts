import { describe, expect, test } from 'bun:test'
import {
  describe as describeError,
  type ErrorWire,
  fromWire,
  InvalidParams,
  LimitExceeded,
  NoAnswer,
  TandemError,
  toWire,
  Unavailable,
} from '../../../src/base/errors.ts'

describe('the wire form', () => {
  const family: [TandemError, ErrorWire][] = [
    [
      new TandemError(-32500, "AA21 didn't pay prefund", { aaCode: 'AA21', entity: 'account' }),
      { code: -32500, message: "AA21 didn't pay prefund", data: { aaCode: 'AA21', entity: 'account' } },
    ],
    [new TandemError(-32521, 'reverted'), { code: -32521, message: 'reverted' }],
    [
      new InvalidParams('nonce is missing', { path: 'params[0].nonce' }),
      { code: -32602, message: 'nonce is missing', data: { path: 'params[0].nonce' } },
    ],
    [
      new LimitExceeded('limit exceeded', { retryAfterMs: 5 }),
      { code: -32005, message: 'limit exceeded', data: { retryAfterMs: 5 } },
    ],
  ]
  for (const [error, wire] of family) {
    test(`${error.name} goes there and back`, () => {
      expect(toWire(error)).toEqual(wire)
      expect(toWire(fromWire(wire))).toEqual(wire)
      expect(fromWire(wire)).toBeInstanceOf(TandemError)
    })
  }

  test('unavailable stays unavailable, with its cause for our own log', () => {
    const error = fromWire(toWire(new Unavailable('node', { cause: new Error('ECONNREFUSED') })))
    expect(error).toBeInstanceOf(Unavailable)
    expect(error.message).toBe('Internal error')
    expect(describeError(error)).toBe('node')
  })

  test('anything else is our own fault under a fixed text', () => {
    expect(toWire(new TypeError('x is undefined'))).toEqual({
      code: -32603,
      message: 'Internal error',
      data: { what: 'x is undefined' },
    })
    expect(fromWire(toWire('thrown text'))).toBeInstanceOf(Unavailable)
  })

  test('survives structured clone', () => {
    const wire = toWire(new InvalidParams('bad', { path: 'a', hint: undefined }))
    expect(structuredClone(wire)).toEqual(wire)
  })
})

describe('in one line', () => {
  const cases: [string, unknown][] = [
    ['first', new Error('first\nsecond')],
    ['store', new Unavailable('store')],
    ['store: disk: full', new Unavailable('store', { cause: new Unavailable('disk', { cause: 'full' }) })],
    ['thread', new NoAnswer('thread')],
    ['text', 'text'],
    ['undefined', undefined],
  ]
  for (const [line, error] of cases) {
    test(line, () => {
      expect(describeError(error)).toBe(line)
    })
  }
})
