import type { Word } from '../../../src/evm/word.ts'
import type { Random } from '../../support/random.ts'
import blake2f from '../../unit/evm/vectors/eip-152.json'
import bls from '../../unit/evm/vectors/eip-2537.json'
import kzg from '../../unit/evm/vectors/eip-4844.json'
import p256 from '../../unit/evm/vectors/eip-7951.json'
import modexp from '../../unit/evm/vectors/modexp.json'
import type { Assembler } from './assembler.ts'
import { pick, weighted } from './choices.ts'

/** hexadecimal inputs of a precompile, from which calls are made */
type Sample = { readonly address: Word; readonly inputs: readonly string[] }

const word = (value: bigint) => value.toString(16).padStart(64, '0')

/** A signature of a digest, as ECRECOVER takes it. */
const signature = [
  0x18c547e4f7b0f325ad1e56f57e26c745b09a3e503d86e00e5255ff7f715d3d1cn,
  28n,
  0x73b1693892219d736caba55bdb67216e485557ea6b6af75f37096c9aa6a5a75fn,
  0xeeb940b1d03b21e36b0e47e79769f095fe2ab855bd91e3a38756b7d75a9c4549n,
]
  .map(word)
  .join('')

/** The generator of BN254, and its double. */
const [generator, doubled] = [
  [1n, 2n],
  [
    0x030644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd3n,
    0x15ed738c0e0a7c92e7845f96b2ae9c0a68a6a449e3538fc7ff3ebf7a5a18a2c4n,
  ],
].map((point) => point.map(word).join(''))

const onBn254 = [
  `${generator}${doubled}`,
  `${generator}${generator}`,
  `${generator}${word(5n)}`,
  `${doubled}`,
]

const short = (inputs: readonly { input: string }[], longest = 1200) =>
  inputs.map(({ input }) => input).filter((input) => input.length <= longest)

/** By how often they are called: where the other side takes milliseconds, seldom. */
const samples: readonly (readonly [weight: number, sample: Sample])[] = [
  [10, { address: 0x01n, inputs: [signature] }],
  [5, { address: 0x02n, inputs: ['', '00', signature] }],
  [5, { address: 0x03n, inputs: ['', '00', signature] }],
  [10, { address: 0x04n, inputs: ['', signature] }],
  [10, { address: 0x05n, inputs: short(modexp, 800) }],
  [5, { address: 0x06n, inputs: onBn254 }],
  [3, { address: 0x07n, inputs: onBn254 }],
  [0.2, { address: 0x08n, inputs: ['', ...onBn254] }],
  [5, { address: 0x09n, inputs: short(blake2f).filter((input) => input.startsWith('0000')) }],
  [1, { address: 0x0an, inputs: short(kzg) }],
  ...[...new Set(bls.map(({ address }) => address))].map((address) => {
    const inputs = short(bls.filter((vector) => vector.address === address))
    return [address === '0x0f' ? 0.1 : 0.4, { address: BigInt(address), inputs }] as const
  }),
  [0.5, { address: 0x100n, inputs: short(p256.slice(0, 50)) }],
]

const [codeCopy, call, callCode, delegateCall, staticCall, gas] = [0x39, 0xf1, 0xf2, 0xf4, 0xfa, 0x5a]

export function precompileCall(draft: Assembler & { readonly source: Random; height: number }): void {
  const { source } = draft
  const { address, inputs } = weighted(source, samples)
  const input = mutated(source, Uint8Array.fromHex(pick(source, inputs)))
  draft.pushData(input)
  draft.push(0)
  draft.op(codeCopy)
  const kind = pick(source, [call, call, callCode, delegateCall, staticCall, staticCall])
  draft.push(source.int(100))
  draft.push(source.int(100))
  draft.push(input.length)
  draft.push(0)
  if (kind === call || kind === callCode) draft.push(source.chance(0.9) ? 0 : 1)
  draft.push(address)
  if (source.chance(0.8)) draft.op(gas)
  else draft.push(source.int(100_000))
  draft.op(kind)
  draft.height += 1
}

function mutated(source: Random, input: Uint8Array): Uint8Array {
  if (source.chance(0.5)) return input
  const kind = source.int(3)
  if (kind === 0) return input.subarray(0, source.int(input.length + 1))
  if (kind === 1) return Uint8Array.of(...input, ...new Uint8Array(source.int(40)))
  const changed = input.slice()
  if (changed.length > 0) changed[source.int(changed.length)] = source.int(256)
  return changed
}
