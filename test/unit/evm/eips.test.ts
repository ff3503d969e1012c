import { describe, expect, test } from 'bun:test'
import { code, returnTop } from '../../support/evmCode.ts'
import { returned } from '../../support/evmRun.ts'

/** The test cases that EIP-7939 gives. The vectors of precompiles are in precompiles/vectors.test.ts. */
describe('EIP-7939: CLZ', () => {
  const cases = [
    [0n, 256n],
    [1n << 255n, 0n],
    [2n ** 256n - 1n, 0n],
    [1n << 254n, 1n],
    [2n ** 255n - 1n, 1n],
    [1n, 255n],
  ] as const
  for (const [word, zeros] of cases) {
    test(`of 0x${word.toString(16)} is ${zeros}`, () => {
      expect(returned({ hardfork: 'osaka', code: code(word, 'CLZ', ...returnTop) })).toBe(zeros)
    })
  }
})
