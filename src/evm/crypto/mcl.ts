import createModule from 'mcl-wasm/dist/mcl_c.js'

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
  readonly HEAP8: Int8Array
  _malloc(size: number): Pointer
  _mclBn_init(curve: number, compiledFor: number): number
  _mclBn_setMapToMode(mode: number): number
  _mclBn_verifyOrderG1(verify: number): void
  _mclBn_verifyOrderG2(verify: number): void

  _mclBnFr_setBigEndianMod: Read
  _mclBnFr_inv: Unary
  _mclBnFr_neg: Unary
  _mclBnFr_mul: Binary

  _mclBnFp_setInt32(result: Pointer, value: number): void
  _mclBnFp_setBigEndianMod: Read
  _mclBnFp_getLittleEndian: Write
  _mclBnFp_isOdd: Test
  _mclBnFp_neg: Unary
  _mclBnFp_sqr: Unary
  _mclBnFp_add: Binary
  _mclBnFp_mul: Binary
  /** @returns 0 if there is a root */
  _mclBnFp_squareRoot(result: Pointer, operand: Pointer): number
  _mclBnFp_mapToG1: Unary
  _mclBnFp2_mapToG2: Unary

  _mclBnG1_getBasePoint(result: Pointer): void
  _mclBnG1_clear(result: Pointer): void
  _mclBnG1_isValid: Test
  _mclBnG1_isValidOrder: Test
  _mclBnG1_isZero: Test
  _mclBnG1_normalize: Unary
  _mclBnG1_neg: Unary
  _mclBnG1_add: Binary
  _mclBnG1_mul: Binary
  _mclBnG1_mulVec: MultiScalar

  _mclBnG2_clear(result: Pointer): void
  _mclBnG2_isValid: Test
  _mclBnG2_isValidOrder: Test
  _mclBnG2_isZero: Test
  _mclBnG2_normalize: Unary
  _mclBnG2_neg: Unary
  _mclBnG2_add: Binary
  _mclBnG2_mul: Binary
  _mclBnG2_mulVec: MultiScalar

  _mclBn_millerLoopVec(result: Pointer, g1: Pointer, g2: Pointer, count: number): void
  _mclBn_finalExp: Unary
  _mclBnGT_mul: Binary
  _mclBnGT_isOne: Test
}

/** An instance of the library with one curve for good. Not constant-time: nothing secret passes through an EVM. */
export type Mcl = {
  readonly native: Exports
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

export async function loadMcl(curve: CurveName): Promise<Mcl> {
  const native = (await createModule({})) as Exports
  if (native._mclBn_init(curveNumbers[curve], compiledFor) !== 0) throw new Error(`mcl-wasm has no ${curve}`)
  if (curve === 'bls12-381') native._mclBn_setMapToMode(standardMapping)
  // Being on the curve and being in the subgroup are asked one by one.
  native._mclBn_verifyOrderG1(0)
  native._mclBn_verifyOrderG2(0)

  const transfer = native._malloc(64)
  function write(pointer: Pointer, bytes: Uint8Array): void {
    native.HEAP8.set(bytes, pointer)
  }
  return {
    native,
    write,
    allocate: (size) => native._malloc(size),
    writeScalar(pointer, bytes) {
      write(transfer, bytes)
      native._mclBnFr_setBigEndianMod(pointer, transfer, bytes.length)
    },
    writeCoordinate(pointer, bytes) {
      write(transfer, bytes)
      native._mclBnFp_setBigEndianMod(pointer, transfer, bytes.length)
    },
    readCoordinate(pointer, target) {
      const size = native._mclBnFp_getLittleEndian(transfer, 64, pointer)
      const memory = native.HEAP8
      target.fill(0)
      for (let place = 0; place < size; place++)
        target[target.length - 1 - place] = memory[transfer + place] ?? 0
    },
  }
}
