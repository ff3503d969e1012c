import { compileFunction, op } from './wasm.ts'

/**
 * The compression function F of BLAKE2b (RFC 7693 §3.2) on the 212 bytes behind the rounds in a call of EIP-152: h, m
 * and t, all little-endian, and whether the block is the last. `rounds` below 2^32; the result is the new h.
 */
export type Blake2f = (rounds: number, state: Uint8Array, isLast: boolean) => Uint8Array

const initial = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
]

/** Which word of the message each step of a round takes; the eleventh round begins anew. */
const schedule = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
]

/** Columns, then diagonals. */
const mixed = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const

/** Local variables: the rounds left, the working vector, the message. */
const rounds = 0
const v = (index: number) => 1 + index
const m = (index: number) => 17 + index
const i64Locals = 32

/** Bytes in memory. */
const hAt = 0
const mAt = 64
const tAt = 192
const lastAt = 208
const stateSize = 208

/**
 * WebAssembly, assembled when it is loaded: a round costs one gas, so it is called with millions of them, and numbers
 * of JavaScript have no 64 bits.
 */
export function loadBlake2f(): Blake2f {
  const { run, memory } = compileFunction(i64Locals, program())
  const bytes = new Uint8Array(memory)
  const last = new BigInt64Array(memory, lastAt, 1)
  return (count, state, isLast) => {
    bytes.set(state.subarray(0, stateSize))
    last[0] = isLast ? -1n : 0n
    run(count | 0)
    return bytes.slice(hAt, hAt + 64)
  }
}

function program(): number[] {
  return [
    ...each(8, (index) => [...load(hAt + 8 * index), ...op.set(v(index))]),
    ...initial.flatMap((word, index) => [
      ...op.i64Constant(BigInt.asIntN(64, word)),
      ...op.set(v(8 + index)),
    ]),
    ...[tAt, tAt + 8, lastAt].flatMap((at, index) => xorInto(v(12 + index), load(at))),
    ...each(16, (index) => [...load(mAt + 8 * index), ...op.set(m(index))]),
    ...op.block(op.loop([...schedule.flatMap(round), ...op.jump(0)])),
    ...each(8, (index) => [
      ...op.i32Constant(0),
      ...load(hAt + 8 * index),
      ...[...op.get(v(index)), ...op.i64Xor],
      ...[...op.get(v(8 + index)), ...op.i64Xor],
      ...op.i64Store(hAt + 8 * index),
    ]),
  ]
}

/** Leaves the loop when no rounds are left. */
function round(words: readonly number[]): number[] {
  return [
    ...[...op.get(rounds), ...op.i32IsZero, ...op.jumpIf(1)],
    ...[...op.get(rounds), ...op.i32Constant(1), ...op.i32Subtract, ...op.set(rounds)],
    ...mixed.flatMap(([a, b, c, d], step) => [
      ...half([v(a), v(b), v(c), v(d)], m(words[2 * step] ?? 0), 32n, 24n),
      ...half([v(a), v(b), v(c), v(d)], m(words[2 * step + 1] ?? 0), 16n, 63n),
    ]),
  ]
}

/** Half of the mixing function G: a += b + word, d = (d ⊕ a) ⋙ first, c += d, b = (b ⊕ c) ⋙ second. */
function half(
  [a, b, c, d]: readonly [number, number, number, number],
  word: number,
  first: bigint,
  second: bigint,
): number[] {
  return [
    ...[...op.get(a), ...op.get(b), ...op.i64Add, ...op.get(word), ...op.i64Add, ...op.set(a)],
    ...[
      ...op.get(d),
      ...op.get(a),
      ...op.i64Xor,
      ...op.i64Constant(first),
      ...op.i64RotateRight,
      ...op.set(d),
    ],
    ...[...op.get(c), ...op.get(d), ...op.i64Add, ...op.set(c)],
    ...[
      ...op.get(b),
      ...op.get(c),
      ...op.i64Xor,
      ...op.i64Constant(second),
      ...op.i64RotateRight,
      ...op.set(b),
    ],
  ]
}

function load(at: number): number[] {
  return [...op.i32Constant(0), ...op.i64Load(at)]
}

function xorInto(local: number, value: readonly number[]): number[] {
  return [...op.get(local), ...value, ...op.i64Xor, ...op.set(local)]
}

function each(count: number, instructions: (index: number) => readonly number[]): number[] {
  return Array.from({ length: count }, (_, index) => instructions(index)).flat()
}
