import { type Hex, keccak256, numberToHex } from 'viem'

/** hex digits of a hash */
const blockDigits = 64

/** Bytes that no compressor shortens. They stand for what is not known yet, such as signatures; never for a secret. */
export type Noise = (bytes: number) => Hex

/** The same sequence for every caller, so that what is measured with it does not change. */
export function createNoise(): Noise {
  let taken = 0
  return (bytes) => {
    const end = taken + 2 * bytes
    while (sequence.length < end) sequence += nextBlock()
    const hex = sequence.slice(taken, end)
    taken = end
    return `0x${hex}`
  }
}

let sequence = ''

/** Without zero bytes: a number made of them has all of its bytes. */
function nextBlock(): string {
  const hash = keccak256(numberToHex(sequence.length / blockDigits, { size: 32 })).slice(2)
  return hash.replace(/../g, (byte) => (byte === '00' ? '01' : byte))
}
