import { bytesOfWord } from '../crypto/bytes.ts'
import type { Crypto } from '../crypto/crypto.ts'
import type { Precompile } from '../precompile.ts'

/** digest (32 bytes) ‖ r (32) ‖ s (32) ‖ x (32) ‖ y (32) */
const inputSize = 160

const none = new Uint8Array(0)

/** Gas of EIP-7951 on Ethereum and of RIP-7212 on rollups: all that differs. 1 for a signature, no output for none. */
export const p256Verify = { eip7951: costing(6900), rip7212: costing(3450) }

function costing(gas: number) {
  return ({ verifyP256 }: Crypto): Precompile => ({
    gas: () => gas,
    run(input) {
      if (input.length !== inputSize) return none
      const valid = verifyP256(input.subarray(0, 32), input.subarray(32, 96), input.subarray(96))
      return valid ? bytesOfWord(1n) : none
    },
  })
}
