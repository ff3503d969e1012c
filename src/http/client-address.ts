import { type IpAddress, type IpRange, isInRange, parseIp, parseIpRange } from '../base/ip.ts'

const forwardingHeaders = ['x-forwarded-for', 'forwarded'] as const
export type ForwardingHeader = (typeof forwardingHeaders)[number]

/** The key under which a client's calls are counted. */
export type ClientAddress = (headers: Headers, peer: string | undefined) => string

/** Whoever's address is not known shares one key. */
const unknown = 'unknown'
/** bits of an IPv6 address that tell clients apart: one customer has at least the rest (RFC 6177). */
const clientBits = 64n

/**
 * Who calls: the other end of the connection, or, where that is a trusted proxy, the last address before it in the
 * header that no trusted proxy has. A header of anybody else is never looked at, and neither is the other header,
 * which a proxy may hand on as a stranger wrote it.
 */
export function createClientAddress(options: {
  /** addresses and ranges, `10.0.0.0/8` */
  trustedProxies: readonly string[]
  header: ForwardingHeader
}): ClientAddress {
  const trusted = options.trustedProxies.flatMap((text) => parseIpRange(text) ?? [])
  const entriesOf = options.header === 'forwarded' ? forwardedFor : listed

  return (headers, peer) => {
    let client = parseIp(peer ?? '')
    const entries = entriesOf(headers.get(options.header) ?? '')
    while (client !== undefined && isTrusted(client, trusted)) {
      const before = parseIp(hostOf(entries.pop() ?? ''))
      if (before === undefined) break
      client = before
    }
    return client === undefined ? unknown : keyOf(client)
  }
}

function isTrusted(address: IpAddress, trusted: readonly IpRange[]): boolean {
  return trusted.some((range) => isInRange(address, range))
}

function keyOf({ bits, value }: IpAddress): string {
  return bits === 32 ? `4:${value.toString(16)}` : `6:${(value >> clientBits).toString(16)}`
}

/** X-Forwarded-For, the nearest proxy's entry last. */
function listed(header: string): string[] {
  return header.split(',')
}

/** The `for` of each element of Forwarded (RFC 7239 §4). */
function forwardedFor(header: string): string[] {
  return header.split(',').map((element) => {
    const pair = element.split(';').find((part) => /^\s*for=/i.test(part)) ?? ''
    return pair
      .slice(pair.indexOf('=') + 1)
      .trim()
      .replace(/^"(.*)"$/, '$1')
  })
}

/** Without a port: `192.0.2.1:80`, `[2001:db8::1]:80`. */
function hostOf(entry: string): string {
  const text = entry.trim()
  if (text.startsWith('[')) return text.slice(1, text.indexOf(']'))
  return text.split(':').length === 2 ? (text.split(':')[0] ?? '') : text
}
