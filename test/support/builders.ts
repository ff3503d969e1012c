import type { Address, Hash } from 'viem'
import { keccak256, numberToHex } from 'viem'
import type { PoolCandidate } from '../../src/types/ports/pool.ts'
import { nonceSequence, paymasterOf, type UserOperation } from '../../src/types/userop.ts'
import type { ValidationFacts } from '../../src/types/verdict.ts'

/** The n-th address of a test. */
export const address = (n: number): Address => numberToHex(n, { size: 20 })
/** The n-th hash of a test. */
export const hash = (n: number): Hash => numberToHex(n, { size: 32 })

const gwei = 1_000_000_000n

/** A valid operation of a deployed account that pays for itself; `changes` make it another. */
export function userOp(changes: Partial<UserOperation> = {}): UserOperation {
  return {
    version: '0.7',
    sender: address(1),
    nonce: 0n,
    factory: undefined,
    factoryData: '0x',
    callData: '0x',
    callGasLimit: 50_000n,
    verificationGasLimit: 50_000n,
    preVerificationGas: 50_000n,
    maxFeePerGas: 10n * gwei,
    maxPriorityFeePerGas: 2n * gwei,
    paymaster: undefined,
    paymasterVerificationGasLimit: 0n,
    paymasterPostOpGasLimit: 0n,
    paymasterData: '0x',
    signature: '0xab',
    eip7702Auth: undefined,
    ...changes,
  }
}

const unstaked = { stake: 0n, unstakeDelaySec: 0 }
/** More than any default asks for. */
export const staked = { stake: 10n ** 18n, unstakeDelaySec: 86_400 }

/** What validation of `op` found: nobody staked, a rich paymaster, no time range. */
export function facts(op: UserOperation, changes: Partial<ValidationFacts> = {}): ValidationFacts {
  const paymaster = paymasterOf(op)
  return {
    level: 'basic',
    block: { number: 1, hash: hash(1) },
    prefund: 0n,
    preOpGas: 0n,
    validAfter: undefined,
    validUntil: undefined,
    sender: unstaked,
    factory: op.factory === undefined ? undefined : unstaked,
    paymaster: paymaster === undefined ? undefined : { ...unstaked, address: paymaster, deposit: 10n ** 20n },
    ...changes,
  }
}

/** A stand-in for the operation's hash: different operations differ. */
export function hashOf(op: UserOperation): Hash {
  const text = JSON.stringify(op, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
  return keccak256(new TextEncoder().encode(text))
}

/** What is offered to a pool: next in line unless `chainSequence` says otherwise. */
export function candidate(op: UserOperation, changes: Partial<PoolCandidate> = {}): PoolCandidate {
  return {
    op,
    hash: hashOf(op),
    facts: facts(op),
    receivedAt: 0,
    chainSequence: nonceSequence(op.nonce),
    ...changes,
  }
}
