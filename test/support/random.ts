import { type Address, bytesToHex, getAddress, type Hex } from 'viem'
import type { EntryPointVersion } from '../../src/types/entrypoint-version.ts'
import type { UserOperation } from '../../src/types/userop.ts'

/** Pseudo-random values that are the same in every run with the same seed (mulberry32). */
export type Random = {
  /** 0 … below, exclusive */
  int(below: number): number
  chance(probability: number): boolean
  bytes(length: number): Hex
  address(): Address
  /** Of any magnitude up to `bits` bits, the extremes among them. */
  uint(bits: number): bigint
}

export function random(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (below: number) => Math.floor(next() * below)
  const bytes = (length: number) => bytesToHex(Uint8Array.from({ length }, () => int(256)))
  const uint = (bits: number): bigint => {
    const width = int(bits + 1)
    if (width === 0) return 0n
    const value = BigInt(bytes(Math.ceil(width / 8)))
    return int(20) === 0 ? 2n ** BigInt(bits) - 1n : value & (2n ** BigInt(width) - 1n)
  }
  return {
    int,
    bytes,
    uint,
    chance: (probability) => next() < probability,
    address: () => getAddress(bytes(20)),
  }
}

/** Any operation that `version` can express, senseless as it may be. */
export function randomOperation(source: Random, version: EntryPointVersion): UserOperation {
  /** what every EntryPoint takes */
  const bits = 120
  const gas = () => source.uint(bits)
  const data = () => (source.chance(0.2) ? '0x' : source.bytes(source.int(300)))
  const factory = source.chance(0.5) ? source.address() : undefined
  const paymaster = source.chance(0.5) ? source.address() : undefined
  const paymasterGas = () => (version === '0.6' || paymaster === undefined ? 0n : gas())
  return {
    version,
    sender: source.address(),
    nonce: source.uint(256),
    factory,
    factoryData: factory === undefined ? '0x' : data(),
    callData: data(),
    callGasLimit: gas(),
    verificationGasLimit: gas(),
    preVerificationGas: gas(),
    maxFeePerGas: gas(),
    maxPriorityFeePerGas: gas(),
    paymaster,
    paymasterVerificationGasLimit: paymasterGas(),
    paymasterPostOpGasLimit: paymasterGas(),
    paymasterData: paymaster === undefined ? '0x' : data(),
    signature: data(),
    eip7702Auth: undefined,
  }
}
