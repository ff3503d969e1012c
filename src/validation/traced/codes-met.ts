import { type Hex, keccak256 } from 'viem'
import { delegateOf } from '../../evm/delegation.ts'
import { emptyCodeHash, type Word } from '../../evm/word.ts'
import type { NodeClient, ReadAt } from '../../types/ports/chain.ts'
import type { CodeFacts } from '../rules/facts.ts'
import { addressHex, bytesOfHex } from '../state/hex.ts'
import type { TracedOperation } from './operations-of-trace.ts'

/**
 * The code that every contract which an operation used had before it ran; what it created itself is left out.
 * @throws Unavailable
 */
export async function codesMet(
  { parties, phases }: TracedOperation,
  read: (address: Word) => Promise<Uint8Array>,
): Promise<readonly CodeFacts[]> {
  const uses = phases.flatMap((phase) => phase.uses)
  const empty = new Set(uses.filter(({ hasCode }) => !hasCode).map(({ address }) => address))
  const created = new Set(phases.flatMap(({ creations }) => creations.map((creation) => creation.created)))
  const met = new Set([...phases, ...uses].map(({ address }) => address))
  for (const address of [parties.entryPoint, ...created]) if (address !== undefined) met.delete(address)

  const codes = await Promise.all([...met].map(codeOf))
  const delegates = new Set(codes.flatMap(({ delegate }) => delegate ?? []))
  return [...codes, ...(await Promise.all([...delegates.difference(met)].map(codeOf)))]

  async function codeOf(address: Word): Promise<CodeFacts> {
    const code = empty.has(address) ? new Uint8Array() : await read(address)
    const hash = code.length === 0 ? emptyCodeHash : BigInt(keccak256(code))
    return { address, hash, delegate: delegateOf(code) }
  }
}

/** Code at a block, as a node has it. */
export const codeAt =
  (node: NodeClient, at: ReadAt) =>
  async (address: Word): Promise<Uint8Array> => {
    const code = await node.requestAt<Hex>('eth_getCode', [addressHex(address)], at)
    return bytesOfHex(code)
  }
