/** Positions that are remembered; a power of two. */
const slots = 8192
/** Knuth's multiplicative hash of three bytes to a slot. */
const multiplier = 2_654_435_769
const hashShift = 19

/** How far back a repetition is found. */
const window = 8191
/** The last bytes of the data in which no repetition begins. */
const tail = 13
/** Of them the last ones that no repetition reaches into. */
const untouched = 4

/** Literal bytes that one control byte introduces. */
const literalRun = 32
/** Bytes beyond its first two that one instruction repeats at most, and from how many on it takes a third byte. */
const longestRepeat = 262
const longRepeat = 6

/**
 * Length of `data` compressed by FastLZ (level 1) in the variant that OP Stack chains measure transactions with:
 * what `LibZip.flzCompress(data).length` is in Solidity, without writing the result.
 */
export function flzLength(data: Uint8Array): number {
  const positions = new Uint32Array(slots)
  const limit = data.length - tail
  let length = 0
  let literalsFrom = 0
  let at = 2

  while (at < limit) {
    const found = nextRepetition(data, positions, at, limit)
    if (found === undefined) break
    length += literalsLength(found.at - literalsFrom)
    const repeated = repetitionLength(data, found.from + 3, found.at + 3, limit + tail - untouched)
    length += repeatLength(repeated)
    at = found.at + repeated + 1
    for (let known = 0; known < 2; known++, at++) positions[slotOf(three(data, at))] = at
    literalsFrom = at
  }
  return length + literalsLength(data.length - literalsFrom)
}

/** The first position from `start` on whose three bytes stand further back as well, and where. */
function nextRepetition(
  data: Uint8Array,
  positions: Uint32Array,
  start: number,
  limit: number,
): { at: number; from: number } | undefined {
  for (let at = start; at < limit; at++) {
    const bytes = three(data, at)
    const slot = slotOf(bytes)
    const from = positions[slot] ?? 0
    positions[slot] = at
    // The scan ends one position early: what it would find there is never used.
    if (at + 1 < limit && at - from <= window && three(data, from) === bytes) return { at, from }
  }
  return undefined
}

/** Equal bytes after the first three, and one; at most up to `end`. */
function repetitionLength(data: Uint8Array, from: number, at: number, end: number): number {
  let equal = 0
  while (at + equal < end && data[from + equal] === data[at + equal]) equal += 1
  return at + equal < end ? equal : equal - 1
}

const slotOf = (bytes: number): number => (Math.imul(multiplier, bytes) >>> hashShift) & (slots - 1)

function three(data: Uint8Array, at: number): number {
  return (data[at] ?? 0) | ((data[at + 1] ?? 0) << 8) | ((data[at + 2] ?? 0) << 16)
}

const literalsLength = (bytes: number): number => bytes + Math.ceil(bytes / literalRun)

function repeatLength(bytes: number): number {
  const whole = Math.floor(bytes / longestRepeat)
  return whole * 3 + (bytes % longestRepeat >= longRepeat ? 3 : 2)
}
