import type { ChainSettings } from '../config/schemas/chain.ts'
import type { NodeClient } from '../types/ports/chain.ts'
import { assumedEvm, type DetectedEvm, detectEvm } from '../validation/local/detect-evm.ts'

/** The rules of a chain's EVM: as they are set, else as a node shows them. @throws Unavailable */
export async function evmOf(
  { hardfork, p256Verify }: Pick<ChainSettings, 'hardfork' | 'p256Verify'>,
  node: Pick<NodeClient, 'requestAt'>,
): Promise<DetectedEvm> {
  if (hardfork !== undefined && p256Verify !== undefined) return { hardfork, p256Verify }
  const found = (await detectEvm(node)) ?? assumedEvm
  return { hardfork: hardfork ?? found.hardfork, p256Verify: p256Verify ?? found.p256Verify }
}
