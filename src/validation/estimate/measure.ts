import { type Address, type Hex, numberToHex } from 'viem'
import { Unavailable } from '../../base/errors.ts'
import {
  decodeProbe,
  encodeProbe,
  type ProbeOutcome,
  probeCode,
  probeImplementation,
} from '../../contracts/probe.ts'
import { entryPoints } from '../../types/entrypoint.ts'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { Phase } from '../../types/phase.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { EstimateJob, StateOverrides } from '../../types/ports/simulator.ts'
import { paymasterOf, type UserOperation } from '../../types/userop.ts'
import { bundlerAddress } from '../bundler-address.ts'
import { delegationOverrides } from '../delegation.ts'
import { ethCall } from '../eth-call.ts'
import { mergeOverrides } from '../overrides.ts'
import { sequenceOverride } from '../validate.ts'
import { type Circumstances, phaseCalls } from './phases.ts'
import { prefundOf } from './prefund.ts'

/** What an estimate needs to know of the chain before it simulates. */
export type World = {
  job: EstimateJob
  node: NodeClient
  /** The EntryPoint's own code, for what the probe does not answer. */
  entryPointCode: Hex
  /** wei */
  senderBalance: bigint
}

/** gas that every phase may take while it is measured: more than validation may have, and less than nodes give a call */
const generous = 10_000_000n
export const everyPhase: Readonly<Record<Phase, bigint>> = {
  create: generous,
  validate: generous,
  paymaster: generous,
  execute: generous,
  postOp: generous,
}

/** The outcome of each phase that was run; after a failure the rest is missing. */
export type Outcomes = ReadonlyMap<Phase, ProbeOutcome>

/** The chain as the caller wants it, with a sender that can pay the prefund on top of what it has. */
export function worldOverrides({ job, senderBalance }: World, op: UserOperation): StateOverrides {
  const pays = paymasterOf(op) === undefined
  return mergeOverrides(
    job.stateOverrides,
    delegationOverrides([op]),
    sequenceOverride(job),
    pays ? { [op.sender]: { balance: numberToHex(senderBalance + prefundOf(op)) } } : undefined,
  )
}

/** Runs the phases of `op` as the EntryPoint would, each with the gas that `limits` gives it. */
export async function measure(
  world: World,
  op: UserOperation,
  limits: Readonly<Record<Phase, bigint>>,
  context: Hex | undefined,
): Promise<Outcomes> {
  const prefund = prefundOf(op)
  // Paid in full whatever the deposit is now: another operation may have used that up.
  const circumstances: Circumstances = {
    prefund,
    missingFunds: paymasterOf(op) === undefined ? prefund : 0n,
    context,
  }
  const calls = phaseCalls(op, world.job.chainId, circumstances, limits)
  const entryPoint = entryPoints[op.version].address
  const overrides = mergeOverrides(
    worldOverrides(world, op),
    { [entryPoint]: { code: probeCode } },
    { [probeImplementation]: { code: world.entryPointCode } },
  )
  const request = { from: bundlerAddress, to: entryPoint, data: encodeProbe(calls) }
  const outcome = await ethCall(world.node, request, world.job.block, overrides)
  if (outcome.kind === 'reverted') throw new Unavailable('the probe reverted')
  const outcomes = decodeProbe(outcome.data)
  const failed = outcomes.findIndex(({ success }) => !success)
  const made = failed === -1 ? outcomes : outcomes.slice(0, failed + 1)
  return new Map(made.flatMap((result, index) => pairOf(calls[index]?.phase, result)))
}

function pairOf(phase: Phase | undefined, outcome: ProbeOutcome): [Phase, ProbeOutcome][] {
  return phase === undefined ? [] : [[phase, outcome]]
}

/** The code at the EntryPoint's address. @throws Unavailable when there is none */
export async function readEntryPointCode(
  version: EntryPointVersion,
  node: NodeClient,
  at: EstimateJob['block'],
): Promise<Hex> {
  const code = await node.requestAt<Hex>('eth_getCode', [entryPoints[version].address], at)
  if (code === '0x') throw new Unavailable(`EntryPoint ${version} is not deployed on chain ${node.chainId}`)
  return code
}

/** wei; the caller's override where there is one */
export async function readSenderBalance(job: EstimateJob, node: NodeClient): Promise<bigint> {
  const overridden = balanceIn(job.stateOverrides, job.op.sender)
  if (overridden !== undefined) return overridden
  return BigInt(await node.requestAt<Hex>('eth_getBalance', [job.op.sender], job.block))
}

function balanceIn(overrides: StateOverrides | undefined, address: Address): bigint | undefined {
  const account = mergeOverrides(overrides)[address.toLowerCase() as Address]
  if (typeof account !== 'object' || account === null || !('balance' in account)) return undefined
  return typeof account.balance === 'string' ? BigInt(account.balance) : undefined
}
