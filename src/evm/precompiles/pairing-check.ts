import { bytesOfWord } from '../crypto/bytes.ts'
import type { PairingCurve } from '../crypto/pairing-curve.ts'
import type { Precompile } from '../precompile.ts'

/** `least`: pairs that it wants; fewer fail. */
type Options = { baseGas: number; gasAPair: number; least: 0 | 1 }

/** Is the product of the pairings 1? The input is pairs of a point of G1 and one of G2, both in their subgroups. */
export function pairingCheck({ baseGas, gasAPair, least }: Options, curve: PairingCurve): Precompile {
  const { mcl, g1, g2, product } = curve
  const pairSize = g1.encodedSize + g2.encodedSize
  const [first, second] = [mcl.allocate(g1.size), mcl.allocate(g2.size)]

  function readPair(pair: Uint8Array): boolean {
    return (
      g1.read(pair.subarray(0, g1.encodedSize), first) &&
      g1.isInSubgroup(first) &&
      g2.read(pair.subarray(g1.encodedSize), second) &&
      g2.isInSubgroup(second)
    )
  }

  return {
    gas: (input) => baseGas + gasAPair * Math.floor(input.length / pairSize),
    run(input) {
      const pairs = input.length / pairSize
      if (!Number.isInteger(pairs) || pairs < least) return undefined
      const pending = product()
      for (let at = 0; at < input.length; at += pairSize) {
        if (!readPair(input.subarray(at, at + pairSize))) return undefined
        pending.multiplyBy(first, second)
      }
      return bytesOfWord(pending.isOne() ? 1n : 0n)
    },
  }
}
