import type { Address, Hex } from 'viem'
import { Unavailable } from '../../../base/errors.ts'
import { emptyCodeHash } from '../../../evm/word.ts'
import type { NodeClient } from '../../../types/ports/chain.ts'
import type { StateOverrides } from '../../../types/ports/simulator.ts'
import type { CallRequest } from '../../eth-call.ts'
import type { BlockView } from '../block-view.ts'
import { addressHex, bytesOfHex } from '../hex.ts'
import { keepCode, type StateReader } from '../plain-reads.ts'

/** What a node's prestateTracer tells of one account; what is left out is zero or empty. */
type Prestate = {
  balance?: Hex
  nonce?: number | Hex
  code?: Hex
  /** Told by newer ones. */
  codeHash?: Hex | null
  storage?: Readonly<Record<Hex, Hex>>
}
export type Prestates = Readonly<Record<Address, Prestate>>

/**
 * The state that a call reads, by `debug_traceCall` with the prestateTracer.
 * @throws NodeError where the node has none, Unavailable when it could not tell or told something else
 */
export function tracePrestate(
  { request, overrides }: { request: CallRequest; overrides: StateOverrides },
  view: BlockView,
  node: NodeClient,
): Promise<Prestates> {
  // Accounts that do not exist are told as well, by nodes that know the option (geth since 1.16).
  const tracing = {
    tracer: 'prestateTracer',
    tracerConfig: { includeEmpty: true },
    stateOverrides: overrides,
  }
  return node.requestAt<Prestates>('debug_traceCall', [request], view.block, [tracing])
}

/**
 * Keeps what a trace told. What an override stands for is not the block's, and the payer and the beneficiary of the
 * fees are told by some nodes as they are after the transaction has begun.
 * @throws Unavailable for code that is not what its hash says
 */
export function learnPrestates(
  prestates: Prestates,
  { overrides, unsure }: { overrides: StateOverrides; unsure: readonly Address[] },
  view: BlockView,
  reader: Omit<StateReader, 'node'>,
): void {
  const overridden = new Map(
    Object.entries(overrides).map(([address, fields]) => [address.toLowerCase(), fields as object]),
  )
  const untold = new Set(unsure.map((address) => address.toLowerCase()))
  for (const [address, prestate] of Object.entries(prestates)) {
    const fields = overridden.get(address.toLowerCase()) ?? {}
    const account = BigInt(address)
    for (const [slot, value] of Object.entries(prestate.storage ?? {})) {
      if (!isOverridden(fields, slot)) view.learnSlot(account, BigInt(slot), BigInt(value))
    }
    if (untold.has(address.toLowerCase()) || 'balance' in fields || 'nonce' in fields) continue
    const codeHash = 'code' in fields ? view.lastingCode.get(account) : hashOf(account, prestate)
    if (codeHash === undefined) continue
    const balance = BigInt(prestate.balance ?? 0)
    const nonce = BigInt(prestate.nonce ?? 0)
    const isAbsent = balance === 0n && nonce === 0n && codeHash === emptyCodeHash
    view.learnAccount(account, isAbsent ? null : { balance, codeHash })
    view.learnNonce(account, nonce)
  }

  function hashOf(address: bigint, { code = '0x', codeHash }: Prestate): bigint {
    const hash = code === '0x' ? emptyCodeHash : keepCode(address, bytesOfHex(code), view, reader)
    // Zero stands for an account that does not exist.
    const told = BigInt(codeHash ?? 0)
    if (told !== 0n && told !== hash)
      throw new Unavailable(`a node gave code of ${addressHex(address)} that is not what its hash says`)
    return hash
  }
}

function isOverridden(fields: object, slot: string): boolean {
  if ('state' in fields) return true
  if (!('stateDiff' in fields)) return false
  return Object.keys(fields.stateDiff as object).some((given) => BigInt(given) === BigInt(slot))
}
