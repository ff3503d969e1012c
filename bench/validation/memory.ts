import { join } from 'node:path'
import { type Hex, numberToHex } from 'viem'
import type { UserOperation } from '../../src/types/userop.ts'
import { type DevChain, rpc } from '../../test/support/devChain.ts'
import type { MemoryTask, MemoryTold } from './memory-process.ts'
import { headOf } from './setting.ts'

export const accountsSeen = 10_000
/** Where the accounts lie, one after the other. */
const first = 0xacc0_0000_0000_0000_0000n
/** Changes of the chain in one request. */
const batch = 2_000

const processFile = join(import.meta.dir, 'memory-process.ts')
/** ERC-1967: where a proxy has the address of its code. */
const implementationSlot: Hex = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
/** Where SimpleAccount has its owner. */
const ownerSlot: Hex = numberToHex(0, { size: 32 })

/** A process of its own with one simulator that validates an operation of each of ten thousand accounts. */
export async function measureMemory(chain: DevChain, op: UserOperation): Promise<MemoryTold> {
  await copySender(chain, op)
  await rpc(chain.url, 'anvil_mine', ['0x1'])
  const task = {
    ...{ chain: { url: chain.url, chainId: chain.chainId }, op, block: await headOf(chain) },
    ...{ first, accounts: accountsSeen },
  }
  const told = await inProcess(task)
  if (told.seen !== accountsSeen) throw new Error(`${told.seen} of ${accountsSeen} accounts were seen`)
  return told
}

async function inProcess(task: MemoryTask): Promise<MemoryTold> {
  const told = Promise.withResolvers<MemoryTold>()
  const child = Bun.spawn([process.execPath, processFile], {
    stdio: ['ignore', 'inherit', 'inherit'],
    serialization: 'advanced',
    ipc: (message: MemoryTold) => told.resolve(message),
    onExit: (_, code) => told.reject(new Error(`the process ended with ${code}`)),
  })
  child.send(task)
  return told.promise
}

async function copySender(chain: DevChain, { sender }: UserOperation): Promise<void> {
  const code = await rpc<Hex>(chain.url, 'eth_getCode', [sender, 'latest'])
  const read = (slot: Hex) => rpc<Hex>(chain.url, 'eth_getStorageAt', [sender, slot, 'latest'])
  const [implementation, owner] = [await read(implementationSlot), await read(ownerSlot)]
  const changes = Array.from({ length: accountsSeen }, (_, index) => {
    const address = numberToHex(first + BigInt(index), { size: 20 })
    return [
      ['anvil_setCode', [address, code]],
      ['anvil_setBalance', [address, numberToHex(10n ** 18n)]],
      ['anvil_setStorageAt', [address, implementationSlot, implementation]],
      ['anvil_setStorageAt', [address, ownerSlot, owner]],
    ] as const
  }).flat()
  for (let start = 0; start < changes.length; start += batch)
    await send(chain.url, changes.slice(start, start + batch))
}

async function send(url: string, calls: readonly (readonly [string, readonly unknown[]])[]): Promise<void> {
  const entries = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(entries) })
  await response.arrayBuffer()
}
