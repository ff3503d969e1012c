import { describe, expect, test } from 'bun:test'
import { isInRange, parseIp, parseIpRange } from '../../../src/base/ip.ts'

test('an address is a number', () => {
  expect(parseIp('192.0.2.1')).toEqual({ bits: 32, value: 0xc0000201n })
  expect(parseIp('::')).toEqual({ bits: 128, value: 0n })
  expect(parseIp('2001:db8::1')).toEqual({ bits: 128, value: 0x20010db8000000000000000000000001n })
  expect(parseIp('1:2:3:4:5:6:7:8')).toEqual({ bits: 128, value: 0x00010002000300040005000600070008n })
  expect(parseIp('fe80::1%eth0')).toEqual({ bits: 128, value: 0xfe800000000000000000000000000001n })
})

test('an IPv4 address in IPv6 form is an IPv4 address', () => {
  expect(parseIp('::ffff:192.0.2.1')).toEqual(parseIp('192.0.2.1'))
  expect(parseIp('::ffff:c000:201')).toEqual(parseIp('192.0.2.1'))
})

test('what is no address is none', () => {
  for (const text of ['', 'unknown', '_hidden', '1.2.3', '1.2.3.256', '::1::2', 'localhost', '192.0.2.1:80'])
    expect(parseIp(text)).toBeUndefined()
})

test('what is no range is none', () => {
  for (const text of ['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1', '::/129', 'any'])
    expect(parseIpRange(text)).toBeUndefined()
})

describe('ranges', () => {
  const cases: readonly [range: string, address: string, is: boolean][] = [
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.3', '10.1.2.4', false],
    ['10.1.2.3', '::ffff:10.1.2.3', true],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['::1', '::1', true],
  ]
  for (const [range, address, is] of cases) {
    test(`${address} is ${is ? '' : 'not '}in ${range}`, () => {
      const [parsed, within] = [parseIp(address), parseIpRange(range)]
      expect(parsed && within && isInRange(parsed, within)).toBe(is)
    })
  }
})
