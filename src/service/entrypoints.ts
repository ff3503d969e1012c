import type { Hex } from 'viem'
import type { ChainSettings } from '../config/schemas/chain.ts'
import { entryPoints, versionAt } from '../types/entrypoint.ts'
import { type EntryPointVersion, entryPointVersions } from '../types/entrypoint-version.ts'
import type { NodeClient } from '../types/ports/chain.ts'

/** Why a chain cannot be served as configured; one line for the operator. */
export class ChainError extends Error {
  override readonly name = 'ChainError'
}

/** The versions that have code at their canonical address, newest first. */
export async function deployedVersions(node: NodeClient): Promise<readonly EntryPointVersion[]> {
  const ask = (version: EntryPointVersion) =>
    node.request<Hex>('eth_getCode', [entryPoints[version].address, 'latest'])
  const codes = await Promise.all(entryPointVersions.map(ask))
  return entryPointVersions.filter((_, index) => codes[index] !== '0x')
}

/** The configured EntryPoints in their order, or all that are there. @throws ChainError */
export function servedVersions(
  settings: Pick<ChainSettings, 'entryPoints'>,
  deployed: readonly EntryPointVersion[],
): readonly EntryPointVersion[] {
  const served = settings.entryPoints?.map((address) => {
    const version = versionAt(address)
    if (version === undefined) throw new ChainError(`${address} is no EntryPoint that Tandem knows`)
    if (!deployed.includes(version)) throw new ChainError(`EntryPoint ${version} has no code at ${address}`)
    return version
  })
  if (deployed.length === 0) throw new ChainError('no EntryPoint has code on this chain')
  return served ?? deployed
}
