import type { Address } from 'viem'
import { withOverrides } from '../../../evm/state/overrides.ts'
import type { StateSource } from '../../../evm/state-source.ts'
import type { Word } from '../../../evm/word.ts'
import { entryPoints } from '../../../types/entrypoint.ts'
import type { EntryPointVersion } from '../../../types/entrypoint-version.ts'
import { paymasterOf, type UserOperation } from '../../../types/userop.ts'
import { depositSlot } from '../../overrides.ts'
import { prefundOf } from '../prefund.ts'

type Modules = { source: StateSource; keccak: (bytes: Uint8Array) => Word }

/**
 * A sender that can pay the prefund on top of what it has, and has to pay it in full whatever its deposit is now:
 * another operation may have used that up.
 */
export function withPayingSender(op: UserOperation, { source, keccak }: Modules): StateSource {
  if (paymasterOf(op) !== undefined) return source
  const sender = BigInt(op.sender)
  const balance = (source.account(sender)?.balance ?? 0n) + prefundOf(op)
  // One wei stays of a deposit that is not empty: the first deposit is dearer than the next.
  const funded = withDeposit(op.version, op.sender, source, (deposit) => (deposit === 0n ? 0n : 1n))
  return withOverrides(funded, new Map([[sender, { balance }]]), keccak)
}

/** A paymaster whose deposit is no question yet. */
export function withPayingPaymaster(op: UserOperation, { source }: Modules): StateSource {
  const paymaster = paymasterOf(op)
  if (paymaster === undefined) return source
  return withDeposit(op.version, paymaster, source, () => plentyOfDeposit)
}

/** wei, below the 2^112 of 0.6 */
const plentyOfDeposit = 2n ** 100n

/** Bits of a deposit's slot that are the deposit: in 0.6 the stake is in the same slot. */
const depositBits: Readonly<Record<EntryPointVersion, bigint>> = { '0.6': 112n, '0.7': 256n, '0.8': 256n }

function withDeposit(
  version: EntryPointVersion,
  account: Address,
  source: StateSource,
  changed: (deposit: bigint) => bigint,
): StateSource {
  const entryPoint = BigInt(entryPoints[version].address)
  const slot = BigInt(depositSlot(account))
  const mask = (1n << depositBits[version]) - 1n
  return {
    ...source,
    storage(address, key) {
      const value = source.storage(address, key)
      if (key !== slot || address !== entryPoint) return value
      return (value & ~mask) | changed(value & mask)
    },
  }
}
