import type { Hash } from 'viem'
import type { Slot, Version } from '../../../src/bundler/submitter/slot.ts'
import type { FeeQuote } from '../../../src/types/block.ts'
import type { Inclusion, JournaledTransaction } from '../../../src/types/ports/submitter.ts'

export const relayer = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

export function hash(name: string): Hash {
  return `0x${Buffer.from(name).toString('hex').padStart(64, '0')}`
}

export function transaction(name: string, changes: Partial<JournaledTransaction> = {}): JournaledTransaction {
  return {
    chainId: 1,
    bundleId: 'bundle',
    relayer,
    nonce: 7,
    hash: hash(name),
    raw: `0x${Buffer.from(name).toString('hex')}`,
    maxFeePerGas: 1000n,
    maxPriorityFeePerGas: 100n,
    kind: 'bundle',
    createdAt: 0,
    ...changes,
  }
}

export function version(name: string, changes: Partial<Version> & { kind?: 'cancel' } = {}): Version {
  const { kind = 'bundle', ...rest } = changes
  return { transaction: transaction(name, { kind }), delivery: 'accepted', ...rest }
}

export const operations = [hash('operation')]

/** A bundle at nonce 7, sent at head 100 and taken by the nodes. */
export function slot(changes: Partial<Slot> = {}): Slot {
  return {
    chainId: 1,
    bundleId: 'bundle',
    relayer,
    nonce: 7,
    operations,
    openedAt: 100,
    released: false,
    versions: [version('first')],
    state: { kind: 'pending', since: 100, missingSince: undefined, obstacle: 'none', held: false },
    ...changes,
  }
}

export function inclusion(name: string, changes: Partial<Inclusion> = {}): Inclusion {
  return {
    transactionHash: hash(name),
    block: { number: 101, hash: hash('block 101') },
    reverted: false,
    gasUsed: 21_000n,
    effectiveGasPrice: 900n,
    cost: 18_900_000n,
    revenue: 20_000_000n,
    ...changes,
  }
}

export const market: FeeQuote = {
  baseFee: 400n,
  maxFeePerGas: 800n,
  maxPriorityFeePerGas: 50n,
  legacy: false,
}
