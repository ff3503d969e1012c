import { integerOf, isZero } from './bytes.ts'
import {
  type CurveName,
  coordinateSize,
  g1Size,
  g2Size,
  gtSize,
  loadMcl,
  type Mcl,
  type Pointer,
} from './mcl.ts'

/** How a precompile's input holds coordinates: big-endian integers below the modulus of the field. */
type Encoding = {
  readonly modulus: bigint
  /** bytes of an integer */
  readonly size: number
  /** Which part of an element of Fp2 comes first. */
  readonly first: 'real' | 'imaginary'
}

/** One of the two groups of points. Pointers are to points of it, results may overwrite operands. */
export type Group = {
  /** bytes of a point in the module's memory */
  readonly size: number
  /** bytes of a point as the precompiles have it; all zero is the point at infinity */
  readonly encodedSize: number
  /** Bytes of an encoded coordinate: an element of Fp, or of Fp2. */
  readonly encodedCoordinateSize: number
  /** @returns false where a coordinate is not below the modulus */
  readCoordinate(encoded: Uint8Array, into: Pointer): boolean
  /** @returns false for what is not on the curve; that it is in the subgroup is not asked */
  read(encoded: Uint8Array, into: Pointer): boolean
  isInSubgroup(point: Pointer): boolean
  isInfinity(point: Pointer): boolean
  /** Leaves the point normalized. */
  encode(point: Pointer): Uint8Array
  negate(result: Pointer, point: Pointer): void
  add(result: Pointer, left: Pointer, right: Pointer): void
  multiply(result: Pointer, point: Pointer, scalar: Pointer): void
  /** The sum of `count` ≥ 1 points next to each other, each times its scalar; all must be in the subgroup. */
  sumOfProducts(result: Pointer, points: Pointer, scalars: Pointer, count: number): void
  /** The coordinate's point by the map of RFC 9380, its cofactor cleared (BLS12-381 only). */
  fromCoordinate(result: Pointer, coordinate: Pointer): void
}

/** A curve with a pairing. */
export type PairingCurve = {
  readonly mcl: Mcl
  readonly modulus: bigint
  readonly g1: Group
  readonly g2: Group
  /** An empty product of pairings; the one before is given up. */
  product(): PairingProduct
}

export type PairingProduct = {
  /** Copies the points, which must be in their subgroups. */
  multiplyBy(g1: Pointer, g2: Pointer): void
  isOne(): boolean
}

const encodings = {
  /** EIP-196, EIP-197 */
  bn254: {
    modulus: 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n,
    size: 32,
    first: 'imaginary',
  },
  /** EIP-2537 */
  'bls12-381': {
    modulus:
      0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn,
    size: 64,
    first: 'real',
  },
} as const satisfies Partial<Record<CurveName, Encoding>>

export function loadPairingCurve(curve: keyof typeof encodings): PairingCurve {
  const mcl = loadMcl(curve)
  const encoding = encodings[curve]
  return {
    mcl,
    modulus: encoding.modulus,
    g1: groupOf(mcl, encoding, firstGroup(mcl)),
    g2: groupOf(mcl, encoding, secondGroup(mcl)),
    product: products(mcl),
  }
}

type GroupFunctions = {
  readonly size: number
  /** elements of Fp in a coordinate */
  readonly parts: 1 | 2
  readonly isValid: (point: Pointer) => number
  readonly isValidOrder: (point: Pointer) => number
  readonly isZero: (point: Pointer) => number
  readonly clear: (point: Pointer) => void
  readonly normalize: (result: Pointer, point: Pointer) => void
} & Pick<Group, 'negate' | 'add' | 'multiply' | 'sumOfProducts' | 'fromCoordinate'>

function firstGroup({ native }: Mcl): GroupFunctions {
  return {
    size: g1Size,
    parts: 1,
    isValid: native.mclBnG1_isValid,
    isValidOrder: native.mclBnG1_isValidOrder,
    isZero: native.mclBnG1_isZero,
    clear: native.mclBnG1_clear,
    normalize: native.mclBnG1_normalize,
    negate: native.mclBnG1_neg,
    add: native.mclBnG1_add,
    multiply: native.mclBnG1_mul,
    sumOfProducts: native.mclBnG1_mulVec,
    fromCoordinate: native.mclBnFp_mapToG1,
  }
}

function secondGroup({ native }: Mcl): GroupFunctions {
  return {
    size: g2Size,
    parts: 2,
    isValid: native.mclBnG2_isValid,
    isValidOrder: native.mclBnG2_isValidOrder,
    isZero: native.mclBnG2_isZero,
    clear: native.mclBnG2_clear,
    normalize: native.mclBnG2_normalize,
    negate: native.mclBnG2_neg,
    add: native.mclBnG2_add,
    multiply: native.mclBnG2_mul,
    sumOfProducts: native.mclBnG2_mulVec,
    fromCoordinate: native.mclBnFp2_mapToG2,
  }
}

function groupOf(mcl: Mcl, { modulus, size, first }: Encoding, functions: GroupFunctions): Group {
  const { native } = mcl
  const { parts, negate, add, multiply, sumOfProducts, fromCoordinate } = functions
  const encodedCoordinateSize = parts * size
  /** What the module holds in this order (real, imaginary), by where it is in an encoded coordinate. */
  const order = first === 'imaginary' ? range(parts).reverse() : range(parts)

  function readCoordinate(encoded: Uint8Array, into: Pointer): boolean {
    return order.every((part, place) => {
      const bytes = encoded.subarray(place * size, (place + 1) * size)
      if (integerOf(bytes) >= modulus) return false
      mcl.writeCoordinate(into + part * coordinateSize, bytes)
      return true
    })
  }

  function writeCoordinate(coordinate: Pointer, target: Uint8Array): void {
    for (const [place, part] of order.entries()) {
      mcl.readCoordinate(
        coordinate + part * coordinateSize,
        target.subarray(place * size, (place + 1) * size),
      )
    }
  }

  return {
    size: functions.size,
    encodedSize: 2 * encodedCoordinateSize,
    encodedCoordinateSize,
    readCoordinate,
    read(encoded, into) {
      functions.clear(into)
      if (isZero(encoded)) return true
      const y = into + parts * coordinateSize
      const z = y + parts * coordinateSize
      if (!readCoordinate(encoded.subarray(0, encodedCoordinateSize), into)) return false
      if (!readCoordinate(encoded.subarray(encodedCoordinateSize), y)) return false
      native.mclBnFp_setInt32(z, 1)
      return functions.isValid(into) === 1
    },
    isInSubgroup: (point) => functions.isValidOrder(point) === 1,
    isInfinity: (point) => functions.isZero(point) === 1,
    encode(point) {
      const encoded = new Uint8Array(2 * encodedCoordinateSize)
      if (functions.isZero(point) === 1) return encoded
      functions.normalize(point, point)
      writeCoordinate(point, encoded.subarray(0, encodedCoordinateSize))
      writeCoordinate(point + parts * coordinateSize, encoded.subarray(encodedCoordinateSize))
      return encoded
    },
    negate,
    add,
    multiply,
    sumOfProducts,
    fromCoordinate,
  }
}

/** Pairs whose Miller loops run together, sharing squarings: what the library takes at a time. */
const pairsAtATime = 16

function products(mcl: Mcl): () => PairingProduct {
  const { native } = mcl
  const firsts = mcl.allocate(pairsAtATime * g1Size)
  const seconds = mcl.allocate(pairsAtATime * g2Size)
  const [whole, part] = [mcl.allocate(gtSize), mcl.allocate(gtSize)]
  let waiting = 0
  let isEmpty = true

  function multiplyWaiting(): void {
    if (waiting === 0) return
    native.mclBn_millerLoopVec(isEmpty ? whole : part, firsts, seconds, waiting)
    if (!isEmpty) native.mclBnGT_mul(whole, whole, part)
    isEmpty = false
    waiting = 0
  }

  return () => {
    waiting = 0
    isEmpty = true
    return {
      multiplyBy(g1, g2) {
        // A pairing with infinity is 1.
        if (native.mclBnG1_isZero(g1) === 1 || native.mclBnG2_isZero(g2) === 1) return
        mcl.memory.copyWithin(firsts + waiting * g1Size, g1, g1 + g1Size)
        mcl.memory.copyWithin(seconds + waiting * g2Size, g2, g2 + g2Size)
        waiting += 1
        if (waiting === pairsAtATime) multiplyWaiting()
      },
      isOne() {
        multiplyWaiting()
        if (isEmpty) return true
        native.mclBn_finalExp(whole, whole)
        return native.mclBnGT_isOne(whole) === 1
      },
    }
  }
}

function range(size: number): number[] {
  return Array.from({ length: size }, (_, index) => index)
}
