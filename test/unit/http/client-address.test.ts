import { expect, test } from 'bun:test'
import { createClientAddress, type ForwardingHeader } from '../../../src/http/client-address.ts'

const proxies = ['10.0.0.0/8', '::1']

/** The key of a call through these headers, and of a direct call from `alike`: the same client or not. */
function sameAs(
  alike: string,
  given: { peer?: string; header?: ForwardingHeader; headers?: Record<string, string> },
) {
  const addressOf = createClientAddress({
    trustedProxies: proxies,
    header: given.header ?? 'x-forwarded-for',
  })
  const direct = addressOf(new Headers(), alike)
  return addressOf(new Headers(given.headers ?? {}), given.peer ?? '10.0.0.1') === direct
}

const forwardedFor = (value: string) => ({ headers: { 'x-forwarded-for': value } })
const forwarded = (value: string) => ({ header: 'forwarded' as const, headers: { forwarded: value } })

test('without a proxy it is the other end of the connection', () => {
  expect(sameAs('203.0.113.9', { peer: '203.0.113.9' })).toBe(true)
})

test('a header is believed of a trusted proxy only', () => {
  expect(sameAs('203.0.113.9', forwardedFor('203.0.113.9'))).toBe(true)
  expect(sameAs('203.0.113.9', { ...forwardedFor('198.51.100.7'), peer: '203.0.113.9' })).toBe(true)
})

test('the last address counts that no trusted proxy has: what a client wrote before it does not', () => {
  expect(sameAs('203.0.113.9', forwardedFor('198.51.100.7, 203.0.113.9, 10.2.3.4'))).toBe(true)
  expect(sameAs('203.0.113.9', forwardedFor('10.9.9.9, 203.0.113.9'))).toBe(true)
})

test('where all are trusted it is the first of them', () => {
  expect(sameAs('10.2.3.4', forwardedFor('10.2.3.4, 10.0.0.2'))).toBe(true)
})

test('what is no address ends the search at the proxy that wrote it down', () => {
  expect(sameAs('10.2.3.4', forwardedFor('203.0.113.9, unknown, 10.2.3.4'))).toBe(true)
  expect(sameAs('10.0.0.1', forwardedFor('_secret'))).toBe(true)
  expect(sameAs('10.0.0.1', {})).toBe(true)
})

test('ports are left out', () => {
  expect(sameAs('203.0.113.9', forwardedFor('203.0.113.9:4711'))).toBe(true)
  expect(sameAs('2001:db8::1', forwardedFor('[2001:db8::1]:4711'))).toBe(true)
})

test('an IPv6 client is its /64', () => {
  expect(sameAs('2001:db8:0:7::1', { peer: '2001:db8:0:7:ffff::2' })).toBe(true)
  expect(sameAs('2001:db8:0:7::1', { peer: '2001:db8:0:8::1' })).toBe(false)
})

test('IPv4 in IPv6 form is the IPv4 client', () => {
  expect(sameAs('203.0.113.9', { peer: '::ffff:203.0.113.9' })).toBe(true)
  expect(sameAs('203.0.113.9', { ...forwardedFor('203.0.113.9'), peer: '::ffff:10.0.0.1' })).toBe(true)
})

test('Forwarded is read where it is the header (RFC 7239)', () => {
  expect(sameAs('203.0.113.9', forwarded('for=198.51.100.7, For=203.0.113.9;proto=https;by=10.0.0.1'))).toBe(
    true,
  )
  expect(sameAs('2001:db8::1', forwarded('for="[2001:db8::1]:4711"'))).toBe(true)
  expect(sameAs('10.0.0.1', forwarded('for=unknown'))).toBe(true)
})

test('the header that is not the configured one is not looked at', () => {
  expect(sameAs('10.0.0.1', { headers: { forwarded: 'for=203.0.113.9' } })).toBe(true)
  expect(sameAs('10.0.0.1', { ...forwardedFor('203.0.113.9'), header: 'forwarded' })).toBe(true)
})

test('nobody is told apart from nobody', () => {
  const addressOf = createClientAddress({ trustedProxies: proxies, header: 'forwarded' })
  expect(addressOf(new Headers(), undefined)).toBe('unknown')
})
