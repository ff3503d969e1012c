import type { Crypto } from '../crypto/crypto.ts'
import { coordinateSize, scalarSize } from '../crypto/mcl.ts'
import type { PairingCurve } from '../crypto/pairing-curve.ts'
import type { Precompile } from '../precompile.ts'
import { g1Discounts, g2Discounts } from './msm-discounts.ts'
import { pairingCheck } from './pairing-check.ts'

// EIP-2537

type GroupName = 'g1' | 'g2'

export const g1Add = ({ bls12381 }: Crypto) => addition(375, bls12381(), 'g1')
export const g2Add = ({ bls12381 }: Crypto) => addition(600, bls12381(), 'g2')

export const g1Msm = ({ bls12381 }: Crypto) => sumOfProducts(12_000, g1Discounts, bls12381(), 'g1')
export const g2Msm = ({ bls12381 }: Crypto) => sumOfProducts(22_500, g2Discounts, bls12381(), 'g2')

export const blsPairing = ({ bls12381 }: Crypto) =>
  pairingCheck({ baseGas: 37_700, gasAPair: 32_600, least: 1 }, bls12381())

export const mapFpToG1 = ({ bls12381 }: Crypto) => mapping(5500, bls12381(), 'g1')
export const mapFp2ToG2 = ({ bls12381 }: Crypto) => mapping(23_800, bls12381(), 'g2')

/** Of points on the curve, in the subgroup or not. */
function addition(gas: number, { mcl, ...groups }: PairingCurve, name: GroupName): Precompile {
  const group = groups[name]
  const { encodedSize } = group
  const [left, right] = [mcl.allocate(group.size), mcl.allocate(group.size)]
  return {
    gas: () => gas,
    run(input) {
      if (input.length !== 2 * encodedSize) return undefined
      if (!group.read(input.subarray(0, encodedSize), left)) return undefined
      if (!group.read(input.subarray(encodedSize), right)) return undefined
      group.add(left, left, right)
      return group.encode(left)
    },
  }
}

/** Pairs added up at a time: the sums of the sums are a hundredth of the work, and the memory stays small. */
const pairsAtATime = 128

/** `discounts`: thousandths of the price, by the number of pairs less one; the last is for all that are more. */
function sumOfProducts(
  price: number,
  discounts: readonly number[],
  { mcl, ...groups }: PairingCurve,
  name: GroupName,
): Precompile {
  const group = groups[name]
  const pairSize = group.encodedSize + scalarSize
  const points = mcl.allocate(pairsAtATime * group.size)
  const scalars = mcl.allocate(pairsAtATime * scalarSize)
  const [total, part] = [mcl.allocate(group.size), mcl.allocate(group.size)]

  function readPair(pair: Uint8Array, place: number): boolean {
    const point = points + place * group.size
    mcl.writeScalar(scalars + place * scalarSize, pair.subarray(group.encodedSize))
    return group.read(pair.subarray(0, group.encodedSize), point) && group.isInSubgroup(point)
  }

  return {
    gas(input) {
      const pairs = Math.floor(input.length / pairSize)
      const discount = discounts[Math.min(pairs, discounts.length) - 1] ?? 0
      return Math.floor((pairs * price * discount) / 1000)
    },
    run(input) {
      const pairs = input.length / pairSize
      if (!Number.isInteger(pairs) || pairs === 0) return undefined
      group.read(new Uint8Array(group.encodedSize), total)
      for (let start = 0; start < pairs; start += pairsAtATime) {
        const count = Math.min(pairsAtATime, pairs - start)
        for (let place = 0; place < count; place++) {
          const at = (start + place) * pairSize
          if (!readPair(input.subarray(at, at + pairSize), place)) return undefined
        }
        group.sumOfProducts(part, points, scalars, count)
        group.add(total, total, part)
      }
      return group.encode(total)
    },
  }
}

function mapping(gas: number, { mcl, ...groups }: PairingCurve, name: GroupName): Precompile {
  const group = groups[name]
  const coordinate = mcl.allocate(2 * coordinateSize)
  const point = mcl.allocate(group.size)
  return {
    gas: () => gas,
    run(input) {
      if (input.length !== group.encodedCoordinateSize) return undefined
      if (!group.readCoordinate(input, coordinate)) return undefined
      group.fromCoordinate(point, coordinate)
      return group.encode(point)
    },
  }
}
