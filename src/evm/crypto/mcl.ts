import { instantiateMcl } from './mcl-module.ts'

/** The library's own numbers (its `CurveType`). */
const curveNumbers = { bn254: 4, 'bls12-381': 5, secp256k1: 102, p256: 107 } as const
export type CurveName = keyof typeof curveNumbers

/** What the module was compiled for: 4 words of 64 bits in a scalar, 6 in a coordinate. It refuses another number. */
const compiledFor = 4 * 10 + 6

/** The library's `IRTF`: maps to points as RFC 9380 has it; on the other curves it maps in its own way. */
const standardMapping = 5

/** Bytes in the module's memory, whatever the curve: a scalar, a coordinate, projective points, an element of GT. */
export const scalarSize = 32
export const coordinateSize = 48
export const g1Size = 3 * coordinateSize
export const g2Size = 6 * coordinateSize
export const gtSize = 12 * coordinateSize

/** Where something is in the module's memory. */
export type Pointer = number

type Unary = (result: Pointer, operand: Pointer) => void
type Binary = (result: Pointer, left: Pointer, right: Pointer) => void
type Test = (operand: Pointer) => number
type Read = (result: Pointer, bytes: Pointer, size: number) => number
/** @returns how many bytes it wrote */
type Write = (bytes: Pointer, capacity: number, operand: Pointer) => number
type MultiScalar = (result: Pointer, points: Pointer, scalars: Pointer, count: number) => void

/** The functions of the module that are used here. All take pointers; results may overwrite operands. */
type Exports = {
  /** Constructs what is global: before anything else. */
  __wasm_call_ctors(): void
  malloc(size: number): Pointer
  mclBn_init(curve: number, compiledFor: number): number
  mclBn_setMapToMode(mode: number): number
  mclBn_verifyOrderG1(verify: number): void
  mclBn_verifyOrderG2(verify: number): void

  mclBnFr_setBigEndianMod: Read
  mclBnFr_inv: Unary
  mclBnFr_neg: Unary
  mclBnFr_mul: Binary

  mclBnFp_setInt32(result: Pointer, value: number): void
  mclBnFp_setBigEndianMod: Read
  mclBnFp_getLittleEndian: Write
  mclBnFp_isOdd: Test
  mclBnFp_neg: Unary
  mclBnFp_sqr: Unary
  mclBnFp_add: Binary
  mclBnFp_mul: Binary
  /** @returns 0 if there is a root */
  mclBnFp_squareRoot(result: Pointer, operand: Pointer): number
  mclBnFp_mapToG1: Unary
  mclBnFp2_mapToG2: Unary

  mclBnG1_getBasePoint(result: Pointer): void
  mclBnG1_clear(result: Pointer): void
  mclBnG1_isValid: Test
  mclBnG1_isValidOrder: Test
  mclBnG1_isZero: Test
  mclBnG1_normalize: Unary
  mclBnG1_neg: Unary
  mclBnG1_add: Binary
  mclBnG1_mul: Binary
  mclBnG1_mulVec: MultiScalar

  mclBnG2_clear(result: Pointer): void
  mclBnG2_isValid: Test
  mclBnG2_isValidOrder: Test
  mclBnG2_isZero: Test
  mclBnG2_normalize: Unary
  mclBnG2_neg: Unary
  mclBnG2_add: Binary
  mclBnG2_mul: Binary
  mclBnG2_mulVec: MultiScalar

  mclBn_millerLoopVec(result: Pointer, g1: Pointer, g2: Pointer, count: number): void
  mclBn_finalExp: Unary
  mclBnGT_mul: Binary
  mclBnGT_isOne: Test
}

/** An instance of the library with one curve for good. Not constant-time: nothing secret passes through an EVM. */
export type Mcl = {
  readonly native: Exports
  /** The module's memory as it is now: it moves when it grows. */
  readonly memory: Uint8Array
  /** Memory for good: there is no way to free it. */
  allocate(size: number): Pointer
  write(pointer: Pointer, bytes: Uint8Array): void
  /** A big-endian integer of at most 64 bytes into a scalar, modulo the order of the group. */
  writeScalar(pointer: Pointer, bytes: Uint8Array): void
  /** A big-endian integer of at most 64 bytes into a coordinate, modulo the field. */
  writeCoordinate(pointer: Pointer, bytes: Uint8Array): void
  /** Into `target`, big-endian and filled up with zeros. */
  readCoordinate(pointer: Pointer, target: Uint8Array): void
}

export function loadMcl(curve: CurveName): Mcl {
  const instance = instantiateMcl()
  const native = instance.exports as Exports
  native.__wasm_call_ctors()
  if (native.mclBn_init(curveNumbers[curve], compiledFor) !== 0) throw new Error(`mcl-wasm has no ${curve}`)
  if (curve === 'bls12-381') native.mclBn_setMapToMode(standardMapping)
  // Being on the curve and being in the subgroup are asked one by one.
  native.mclBn_verifyOrderG1(0)
  native.mclBn_verifyOrderG2(0)

  const transfer = native.malloc(64)
  let bytesOfMemory = new Uint8Array(instance.memory.buffer)
  const mcl: Mcl = {
    native,
    get memory() {
      if (bytesOfMemory.length === 0) bytesOfMemory = new Uint8Array(instance.memory.buffer)
      return bytesOfMemory
    },
    write(pointer, bytes) {
      mcl.memory.set(bytes, pointer)
    },
    allocate: (size) => native.malloc(size),
    writeScalar(pointer, bytes) {
      mcl.write(transfer, bytes)
      native.mclBnFr_setBigEndianMod(pointer, transfer, bytes.length)
    },
    writeCoordinate(pointer, bytes) {
      mcl.write(transfer, bytes)
      native.mclBnFp_setBigEndianMod(pointer, transfer, bytes.length)
    },
    readCoordinate(pointer, target) {
      const size = native.mclBnFp_getLittleEndian(transfer, 64, pointer)
      const { memory } = mcl
      target.fill(0)
      for (let place = 0; place < size; place++)
        target[target.length - 1 - place] = memory[transfer + place] ?? 0
    },
  }
  return mcl
}
