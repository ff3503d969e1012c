import { padded } from '../crypto/bytes.ts'
import type { Crypto } from '../crypto/crypto.ts'
import { scalarSize } from '../crypto/mcl.ts'
import type { Precompile } from '../precompile.ts'
import { pairingCheck } from './pairing-check.ts'

/** EIP-196, gas of EIP-1108. G1 is the whole curve: what is on it is in the subgroup. */
export function bn254Add({ bn254 }: Crypto): Precompile {
  const { mcl, g1 } = bn254()
  const [left, right] = [mcl.allocate(g1.size), mcl.allocate(g1.size)]
  return {
    gas: () => 150,
    run(input) {
      if (!g1.read(padded(input, 0, 64), left) || !g1.read(padded(input, 64, 64), right)) return undefined
      g1.add(left, left, right)
      return g1.encode(left)
    },
  }
}

/** EIP-196, gas of EIP-1108 */
export function bn254Multiply({ bn254 }: Crypto): Precompile {
  const { mcl, g1 } = bn254()
  const point = mcl.allocate(g1.size)
  const scalar = mcl.allocate(scalarSize)
  return {
    gas: () => 6000,
    run(input) {
      if (!g1.read(padded(input, 0, 64), point)) return undefined
      mcl.writeScalar(scalar, padded(input, 64, 32))
      g1.multiply(point, point, scalar)
      return g1.encode(point)
    },
  }
}

/** EIP-197, gas of EIP-1108 */
export function bn254Pairing({ bn254 }: Crypto): Precompile {
  return pairingCheck({ baseGas: 45_000, gasAPair: 34_000, least: 0 }, bn254())
}
