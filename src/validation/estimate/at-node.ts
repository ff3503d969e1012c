import type { Hex } from 'viem'
import type { EntryPointVersion } from '../../types/entrypoint-version.ts'
import type { SimulatedGas } from '../../types/gas.ts'
import type { NodeClient } from '../../types/ports/chain.ts'
import type { EstimateJob } from '../../types/ports/simulator.ts'
import { nodeView } from '../chain-view.ts'
import { checkDelegationToSign } from '../delegation.ts'
import { assumedLimits, completed } from './completed.ts'
import { limitsFor } from './limits.ts'
import { readEntryPointCode, readSenderBalance, type World } from './measure.ts'
import { measureNeeds } from './needs.ts'
import { settle } from './settle.ts'
import { tryLimits } from './trial.ts'

/** The EntryPoints' code on one chain: it never changes, and is read once. */
export type EntryPointCodes = Map<EntryPointVersion, Hex>

/** A limit has grown to about six times what was measured then. */
const attempts = 8

/**
 * Limits that were simulated by `eth_call` with state overrides.
 * @throws TandemError -32521 when the call reverts, another of the table when the operation could not be sent;
 *   Unavailable when we could not tell
 */
export async function estimateAtNode(
  job: EstimateJob,
  modules: { node: NodeClient; codes: EntryPointCodes },
): Promise<SimulatedGas> {
  const { op } = job
  const world = await readWorld(job, modules)
  const needs = await measureNeeds(world, completed(op, assumedLimits))
  return settle({ version: op.version, measured: limitsFor(op, needs), attempts }, (limits, attempt) =>
    tryLimits(world, completed(op, limits), needs, attempt),
  )
}

async function readWorld(
  job: EstimateJob,
  { node, codes }: { node: NodeClient; codes: EntryPointCodes },
): Promise<World> {
  const { version } = job.op
  const [entryPointCode, senderBalance] = await Promise.all([
    codes.get(version) ?? readEntryPointCode(version, node, job.block),
    readSenderBalance(job, node),
    checkDelegationToSign(job.op, nodeView(node, job.block)),
  ])
  codes.set(version, entryPointCode)
  return { job, node, entryPointCode, senderBalance }
}
