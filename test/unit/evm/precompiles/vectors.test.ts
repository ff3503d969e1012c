import { expect, test } from 'bun:test'
import { loadCrypto } from '../../../../src/evm/crypto/crypto.ts'
import type { Hardfork } from '../../../../src/evm/hardfork.ts'
import { precompilesOf } from '../../../../src/evm/precompiles/precompiles-of.ts'
import type { Word } from '../../../../src/evm/word.ts'
import blake2f from '../vectors/eip-152.json'
import bls from '../vectors/eip-2537.json'
import kzg from '../vectors/eip-4844.json'
import p256 from '../vectors/eip-7951.json'
import modexp from '../vectors/modexp.json'

type Result = { name: string; output: string | null; gas?: number }

const crypto = await loadCrypto()

function precompile(hardfork: Hardfork, address: Word) {
  const found = precompilesOf({ hardfork }, crypto).get(address)
  if (found === undefined) throw new Error(`no precompile at ${address} in ${hardfork}`)
  return found
}

const one = '1'.padStart(64, '0')
const kzgOutput = `${'1000'.padStart(64, '0')}73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001`

/** What our precompile makes of each vector, to be compared with what the vector says. */
function run<Vector extends { name: string; input: string }>(
  hardfork: Hardfork,
  address: Word,
  vectors: readonly Vector[],
): Result[] {
  const { gas, run } = precompile(hardfork, address)
  return vectors.map(({ name, input }) => {
    const bytes = Uint8Array.fromHex(input)
    return { name, output: run(bytes)?.toHex() ?? null, gas: gas(bytes) }
  })
}

const isPriced = <Vector extends { gas?: number }>(vector: Vector) => vector.gas !== undefined

for (const address of new Set(bls.map((vector) => vector.address))) {
  const vectors = bls.filter((vector) => vector.address === address)

  test(`EIP-2537 at ${address}: outputs and gas`, () => {
    const priced = vectors.filter(isPriced)
    expect(run('prague', BigInt(address), priced)).toEqual(
      priced.map(({ name, output, gas }) => ({ name, output, gas: gas ?? 0 })),
    )
  })

  test(`EIP-2537 at ${address}: what fails`, () => {
    const failing = vectors.filter((vector) => !isPriced(vector))
    expect(failing.length).toBeGreaterThan(0)
    expect(run('prague', BigInt(address), failing).map((result) => result.output)).toEqual(
      failing.map(() => null),
    )
  })
}

test('EIP-7951: P256VERIFY', () => {
  expect(run('osaka', 0x100n, p256)).toEqual(
    p256.map(({ name, valid }) => ({ name, output: valid ? one : '', gas: 6900 })),
  )
})

test('EIP-4844: point evaluation', () => {
  expect(run('cancun', 0x0an, kzg)).toEqual(
    kzg.map(({ name, valid }) => ({ name, output: valid ? kzgOutput : null, gas: 50_000 })),
  )
})

test('EIP-152: BLAKE2f', () => {
  const { gas, run } = precompile('shanghai', 0x09n)
  // What has another length than the EIP's cannot be paid, so that it need not be run.
  const results = blake2f.map(({ name, input }): Result => {
    const bytes = Uint8Array.fromHex(input)
    return { name, output: gas(bytes) === Number.POSITIVE_INFINITY ? null : (run(bytes)?.toHex() ?? null) }
  })
  expect(results).toEqual(blake2f.map(({ name, output }) => ({ name, output })))
})

test('EIP-198 with the gas of EIP-2565', () => {
  const vectors = modexp.filter((vector) => vector.gas.eip2565 !== undefined)
  expect(run('cancun', 0x05n, vectors)).toEqual(
    vectors.map(({ name, output, gas }) => ({ name, output, gas: gas.eip2565 ?? 0 })),
  )
})

test('EIP-198 with the gas of EIP-7883', () => {
  const vectors = modexp.filter((vector) => vector.gas.eip7883 !== undefined)
  expect(run('osaka', 0x05n, vectors)).toEqual(
    vectors.map(({ name, output, gas }) => ({ name, output, gas: gas.eip7883 ?? 0 })),
  )
})
