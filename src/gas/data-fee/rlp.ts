/** RLP (Ethereum yellow paper, appendix B) on hex without `0x`. */

const longAbove = 55
const itemOffset = 0x80
const listOffset = 0xc0

export function rlpItem(hex: string): string {
  const isItself = hex.length === 2 && hex < '80'
  return isItself ? hex : header(itemOffset, hex) + hex
}

/** @param items encoded ones */
export function rlpList(items: readonly string[]): string {
  const body = items.join('')
  return header(listOffset, body) + body
}

/** Without leading zeros; zero is nothing. */
export function rlpNumber(value: number): string {
  return rlpItem(value === 0 ? '' : wholeBytes(value))
}

function header(offset: number, body: string): string {
  const length = body.length / 2
  if (length <= longAbove) return wholeBytes(offset + length)
  const size = wholeBytes(length)
  return wholeBytes(offset + longAbove + size.length / 2) + size
}

function wholeBytes(value: number): string {
  const hex = value.toString(16)
  return hex.length % 2 === 0 ? hex : `0${hex}`
}
