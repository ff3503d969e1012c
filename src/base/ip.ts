import { isIPv4, isIPv6 } from 'node:net'

/** An address as a number of 32 or 128 bits. An IPv4 address in IPv6 form (RFC 4291 §2.5.5.2) is an IPv4 address. */
export type IpAddress = { bits: 32 | 128; value: bigint }

/** Addresses that share their first bits. */
export type IpRange = IpAddress & { prefix: number }

const mappedPrefix = 0xffffn

/** `undefined` for what is no address. Zones (`fe80::1%eth0`) are left out. */
export function parseIp(text: string): IpAddress | undefined {
  const address = text.split('%', 1)[0] ?? ''
  if (isIPv4(address)) return { bits: 32, value: ipv4(address) }
  if (!isIPv6(address)) return undefined
  const value = ipv6(address)
  return value >> 32n === mappedPrefix ? { bits: 32, value: BigInt.asUintN(32, value) } : { bits: 128, value }
}

/** `192.0.2.1` or `192.0.2.0/24`, `2001:db8::/32`; `undefined` for what is neither. */
export function parseIpRange(text: string): IpRange | undefined {
  const [start = '', length, ...rest] = text.split('/')
  const address = parseIp(start)
  if (address === undefined || rest.length > 0) return undefined
  if (length === undefined) return { ...address, prefix: address.bits }
  const prefix = Number(length)
  return /^\d{1,3}$/.test(length) && prefix <= address.bits ? { ...address, prefix } : undefined
}

export function isInRange(address: IpAddress, range: IpRange): boolean {
  const rest = BigInt(range.bits - range.prefix)
  return address.bits === range.bits && address.value >> rest === range.value >> rest
}

const ipv4 = (text: string): bigint =>
  text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n)

function ipv6(text: string): bigint {
  const [before = '', after] = withoutDots(text).split('::')
  const groups = (part: string) => (part === '' ? [] : part.split(':'))
  const [head, tail] = [groups(before), groups(after ?? '')]
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  return [...head, ...zeros, ...tail].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}

/** `::ffff:192.0.2.1` → `::ffff:c000:201` */
function withoutDots(text: string): string {
  const last = text.slice(text.lastIndexOf(':') + 1)
  if (!isIPv4(last)) return text
  const value = ipv4(last)
  return `${text.slice(0, -last.length)}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`
}
