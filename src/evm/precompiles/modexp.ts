import { bytesOfInteger, integerOf, padded, wordAt } from '../crypto/bytes.ts'
import { power } from '../crypto/power.ts'
import type { Precompile } from '../precompile.ts'

/** EIP-198: three words with the lengths of base, exponent and modulus, then these. */
const headerSize = 96

type Lengths = { readonly base: bigint; readonly exponent: bigint; readonly modulus: bigint }

/** What an amendment of EIP-198 asks for it. */
type Pricing = {
  readonly leastGas: bigint
  /** Of one multiplication modulo; `longest` in bytes. */
  complexity(longest: bigint): bigint
  /** Multiplications that a byte of the exponent beyond the first 32 stands for. */
  readonly iterationsPerByte: bigint
  /** Multiplications of complexity 1 that a gas pays. */
  readonly perGas: bigint
  /** bytes; with more it fails */
  readonly longest: bigint
}

const eip2565: Pricing = {
  leastGas: 200n,
  complexity: (longest) => wordsOf64Bits(longest) ** 2n,
  iterationsPerByte: 8n,
  perGas: 3n,
  longest: 2n ** 256n,
}

/** With the bounds of EIP-7823. */
const eip7883: Pricing = {
  leastGas: 500n,
  complexity: (longest) => (longest <= 32n ? 16n : 2n * wordsOf64Bits(longest) ** 2n),
  iterationsPerByte: 16n,
  perGas: 1n,
  longest: 1024n,
}

export const modexp = { eip2565: pricedBy(eip2565), eip7883: pricedBy(eip7883) }

function pricedBy(pricing: Pricing): Precompile {
  return {
    gas(input) {
      const lengths = lengthsOf(input)
      const { base, modulus } = lengths
      const complexity = pricing.complexity(base > modulus ? base : modulus)
      const gas = (complexity * iterations(input, lengths, pricing)) / pricing.perGas
      return Number(gas > pricing.leastGas ? gas : pricing.leastGas)
    },
    run(input) {
      const lengths = lengthsOf(input)
      if (Object.values(lengths).some((length) => length > pricing.longest)) return undefined
      if (lengths.modulus === 0n) return new Uint8Array(0)
      // With a modulus the gas has paid for every length: they are numbers that memory can hold.
      const base = Number(lengths.base)
      const exponent = Number(lengths.exponent)
      const modulus = Number(lengths.modulus)
      const exponentAt = headerSize + base
      const modulusAt = exponentAt + exponent
      const divisor = integerOf(padded(input, modulusAt, modulus))
      if (divisor === 0n) return new Uint8Array(modulus)
      const factor = integerOf(padded(input, headerSize, base))
      return bytesOfInteger(power(factor, padded(input, exponentAt, exponent), divisor), modulus)
    },
  }
}

function lengthsOf(input: Uint8Array): Lengths {
  const header = padded(input, 0, headerSize)
  return { base: wordAt(header, 0), exponent: wordAt(header, 32), modulus: wordAt(header, 64) }
}

function iterations(input: Uint8Array, { base, exponent }: Lengths, { iterationsPerByte }: Pricing): bigint {
  const headSize = exponent < 32n ? Number(exponent) : 32
  const head = base < input.length ? integerOf(padded(input, headerSize + Number(base), headSize)) : 0n
  const bits = head === 0n ? 0n : BigInt(head.toString(2).length - 1)
  const beyondHead = exponent > 32n ? iterationsPerByte * (exponent - 32n) : 0n
  const total = beyondHead + bits
  return total > 1n ? total : 1n
}

function wordsOf64Bits(size: bigint): bigint {
  return (size + 7n) / 8n
}
