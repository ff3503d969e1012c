import type { Hex } from 'viem'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { SimulatedGas } from '../../types/gas.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { EstimateJob } from '../../types/ports/simulator.ts'
import type { UserOperation } from '../../types/userop.ts'
import { checkDelegationToSign } from '../delegation.ts'
import { assumedLimits, completed } from './completed.ts'
import { grown, limitsFor } from './limits.ts'
import { readEntryPointCode, readSenderBalance, type World } from './measure.ts'
import { measureNeeds, type Needs } from './needs.ts'
import { tryLimits } from './trial.ts'

/** The EntryPoints' code on one chain: it never changes, and is read once. */
export type EntryPointCodes = Map<EntryPointVersion, Hex>

/** Final checks before giving up: a limit has grown to about six times what was measured then. */
const attempts = 8

/**
 * Gas limits that were simulated exactly as they are returned (ERC-7769 eth_estimateUserOperationGas).
 * @throws TandemError -32521 when the call reverts, another of the table when the operation could not be sent;
 *   Unavailable when we could not tell
 */
export async function estimate(
  job: EstimateJob,
  modules: { node: NodeClient; codes: EntryPointCodes },
): Promise<SimulatedGas> {
  const world = await readWorld(job, modules)
  const needs = await measureNeeds(world, completed(job.op, assumedLimits))
  return settle(world, job.op, needs)
}

async function readWorld(
  job: EstimateJob,
  { node, codes }: { node: NodeClient; codes: EntryPointCodes },
): Promise<World> {
  const { version } = job.op
  const [entryPointCode, senderBalance] = await Promise.all([
    codes.get(version) ?? readEntryPointCode(version, node, job.block),
    readSenderBalance(job, node),
    checkDelegationToSign(job.op, node, job.block),
  ])
  codes.set(version, entryPointCode)
  return { job, node, entryPointCode, senderBalance }
}

/** The final check with exactly the limits that are returned; a limit that is too low grows. */
async function settle(world: World, requested: UserOperation, needs: Needs): Promise<SimulatedGas> {
  let limits = limitsFor(requested, needs)
  for (let attempt = 1; ; attempt++) {
    const trial = await tryLimits(world, completed(requested, limits), needs, attempt)
    if (trial.kind === 'holds') return { ...limits, ...trial.range }
    if (trial.field === undefined || attempt === attempts) throw trial.error
    limits = grown(requested.version, limits, trial.field)
  }
}
