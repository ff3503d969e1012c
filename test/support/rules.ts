import { type Address, getAddress, type Hex, keccak256, padHex, slice } from 'viem'
import { rpc } from './devChain.ts'

/** What one frame did to storage. */
export type Access = { kind: 'read' | 'write'; contract: Address; slot: Hex }

/** What a contract did, in all its frames, while `caller` was calling its function `selector`. */
export type Trace = {
  opcodes: Set<string>
  accesses: Access[]
  /** Inputs of KECCAK256, by what came out. */
  preimages: Map<Hex, Hex>
  gasUsed: number
}

type Step = { op: string; depth: number; gas: number; stack: string[]; memory?: string[] }

/** Follows a mined transaction; `callee` is entered by the first call to it with that selector. */
export async function traceCall(
  url: string,
  hash: Hex,
  { callee, selector }: { callee: Address; selector: Hex },
): Promise<Trace> {
  const { structLogs } = await rpc<{ structLogs: Step[] }>(url, 'debug_traceTransaction', [
    hash,
    { enableMemory: true, disableStorage: true },
  ])
  const start = structLogs.findIndex(
    (step) => callOf(step)?.to === callee && callOf(step)?.selector === selector,
  )
  const outer = structLogs[start]?.depth ?? Number.NaN
  const length = structLogs.slice(start + 1).findIndex((step) => step.depth <= outer)
  const inside = structLogs.slice(start + 1, start + 1 + length)
  const trace: Trace = {
    opcodes: new Set(),
    accesses: [],
    preimages: new Map(),
    gasUsed: (inside[0]?.gas ?? 0) - (inside.at(-1)?.gas ?? 0),
  }
  const contracts: Address[] = [callee]
  inside.forEach((step, index) => {
    contracts.length = step.depth - outer
    const contract = contracts.at(-1) ?? callee
    const next = inside[index + 1]
    const gasIsForACall = step.op === 'GAS' && /CALL$/.test(next?.op ?? '')
    if (!gasIsForACall) trace.opcodes.add(step.op)
    const top = step.stack.map((item) => padHex(item as Hex, { size: 32 })).reverse()
    if (step.op === 'SLOAD' || step.op === 'SSTORE')
      trace.accesses.push({ kind: step.op === 'SLOAD' ? 'read' : 'write', contract, slot: top[0] ?? '0x' })
    if (step.op === 'KECCAK256' || step.op === 'SHA3') {
      const input = memoryAt(step, Number(top[0]), Number(top[1]))
      trace.preimages.set(keccak256(input), input)
    }
    const call = callOf(step)
    if (call !== undefined && next !== undefined && next.depth > step.depth)
      contracts.push(step.op === 'DELEGATECALL' ? contract : call.to)
  })
  return trace
}

/** ERC-7562: a slot is associated with an address that it is, or that begins what it is hashed from (up to 128 on). */
export function isAssociated({ slot }: Access, address: Address, preimages: Trace['preimages']): boolean {
  if (BigInt(slot) === BigInt(address)) return true
  const word = padHex(address, { size: 32 }).toLowerCase()
  return [...preimages].some(([hash, input]) => {
    const distance = BigInt(slot) - BigInt(hash)
    return input.toLowerCase().startsWith(word) && distance >= 0n && distance <= 128n
  })
}

function callOf({ op, stack, memory }: Step): { to: Address; selector: Hex } | undefined {
  if (!/CALL$|CALLCODE$/.test(op)) return undefined
  const top = stack.map((item) => padHex(item as Hex, { size: 32 })).reverse()
  const to = getAddress(slice(top[1] ?? padHex('0x', { size: 32 }), 12))
  const offset = Number(op === 'CALL' ? top[3] : top[2])
  const selector = memory === undefined ? '0x' : memoryAt({ memory }, offset, 4)
  return { to, selector }
}

function memoryAt({ memory = [] }: { memory?: string[] }, offset: number, length: number): Hex {
  const bytes = memory.map((word) => word.replace(/^0x/, '')).join('')
  return `0x${bytes.slice(offset * 2, (offset + length) * 2).padEnd(length * 2, '0')}`
}
