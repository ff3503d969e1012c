import { expect, test } from 'bun:test'
import { bundleGasLimit, emptyBundleGas, gasInBundle } from '../../../src/gas/bundle-gas.ts'
import { entryPointVersions } from '../../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../../src/types/userop.ts'
import { address, userOp } from '../../support/builders.ts'
import { random } from '../../support/random.ts'

const dearestBeneficiary = `0x${'ff'.repeat(20)}` as const

test.each([...entryPointVersions])(
  '%s: operations one by one add up to at least their bundle, not by much',
  (version) => {
    const source = random(7)
    for (let round = 0; round < 200; round++) {
      const chain = { eip7623: round % 2 === 0 }
      const ops = Array.from({ length: 1 + source.int(40) }, (): UserOperation => {
        const paymaster = version !== '0.6' && source.int(2) === 0 ? address(9) : undefined
        const paid = paymaster === undefined ? 0n : BigInt(source.int(300_000))
        return userOp({
          ...{ version, paymaster, paymasterVerificationGasLimit: paid, paymasterPostOpGasLimit: paid },
          callGasLimit: BigInt(source.int(2_000_000)),
          verificationGasLimit: BigInt(source.int(1_000_000)),
          callData: `0x${'ff'.repeat(source.int(3000))}`,
        })
      })
      const parts = ops.map((op) => gasInBundle(op, chain))
      const reserve = parts.map((part) => part.reserve).reduce((most, next) => (next > most ? next : most))
      const sum = parts.reduce((total, part) => total + part.taken, emptyBundleGas + reserve)
      const limit = bundleGasLimit(version, ops, dearestBeneficiary, chain)
      expect(sum).toBeGreaterThanOrEqual(limit)
      if (!chain.eip7623) expect(sum - reserve).toBeLessThanOrEqual((limit * 101n) / 100n)
    }
  },
)
